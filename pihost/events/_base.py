"""What every event has in common."""

from __future__ import annotations

import enum
from typing import ClassVar, Final, Literal

import attrs

from pihost._values import Value

__all__ = ["UNSET", "Event", "InputSource", "Unset"]

InputSource = Literal["interactive", "rpc", "print", "extension"]
"""Where a text came from."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Event(Value):
    """Something that happens in a host.

    Attributes:
        hook_name: The hook that receives it. Of an event that no hook receives, the word that a stream of
            events knows it by.
    """

    hook_name: ClassVar[str]


class Unset(enum.Enum):
    """The type of ``UNSET``."""

    UNSET = "unset"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET
"""A field that an answer leaves as it is, where ``None`` is itself a value."""
