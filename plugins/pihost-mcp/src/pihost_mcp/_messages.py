"""Messages of the protocol as lines of JSON, and back."""

from __future__ import annotations

import re
from typing import Any

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from mcp_types import jsonrpc_message_adapter

__all__ = ["line_of", "message_of", "without_surrogates"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def message_of(line: bytes) -> JSONRPCMessage:
    """The message that a line says.

    Raises:
        ValueError: it says none.
    """
    return jsonrpc_message_adapter.validate_json(line, by_name=False)


def line_of(message: SessionMessage) -> bytes:
    """A message as a line, with its end."""
    return message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def without_surrogates(value: Any) -> Any:
    """A JSON value whose texts can all be sent: half a surrogate pair, which none can, becomes U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value
