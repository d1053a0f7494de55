"""What a command of the host's own has to say."""

from __future__ import annotations

from typing import ClassVar

import attrs

from pihost.events._base import Event

__all__ = ["CommandOutputEvent"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CommandOutputEvent(Event):
    """A command of the host's own was carried out, or could not be. For those who watch; no hook receives it.

    Attributes:
        command: Its name.
        text: What the user is told.
        is_error: Whether it could not be carried out.
    """

    hook_name: ClassVar[str] = "command_output"
    command: str
    text: str
    is_error: bool = False
