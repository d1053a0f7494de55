"""Commands, responses and the questions of extensions as records, each with its type first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from pihost.protocol.commands import Command, CommandId
from pihost.protocol.dialogs import UiRequest, UiResponse
from pihost.protocol.replies import Response

__all__ = ["command_record", "response_record", "ui_record"]


def command_record(command: Command, command_id: CommandId) -> Mapping[str, Any]:
    """A command as a client sends it."""
    return {"type": command.type, "id": command_id, **_fields(command)}


def response_record(response: Response) -> Mapping[str, Any]:
    """A response, with its data or its error."""
    fields = _fields(response)
    del fields["error" if response.success else "data"]
    return {"type": response.type, **fields}


def ui_record(message: UiRequest | UiResponse) -> Mapping[str, Any]:
    """A request to the user, or the answer."""
    method = {"method": message.method} if isinstance(message, UiRequest) else {}
    return {"type": message.type, **method, **_fields(message)}


def _fields(value: Any) -> dict[str, Any]:
    return attrs.asdict(value, recurse=False)
