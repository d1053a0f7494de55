"""Events of a session that is about to be left, forked, or looked at from another of its entries."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Literal

import attrs

from pihost._values import Value
from pihost.abort import AbortSignal
from pihost.entries import Entry
from pihost.events._base import Event

__all__ = [
    "Cancel",
    "ForkPosition",
    "SessionBeforeForkEvent",
    "SessionBeforeSwitchEvent",
    "SessionBeforeTreeEvent",
    "SessionTreeEvent",
    "SwitchReason",
    "TreeSummary",
]

SwitchReason = Literal["new", "resume"]
"""Why another session takes the place of this one: a new one begins, or an old one goes on."""

ForkPosition = Literal["before", "at"]
"""Whether a fork ends before the entry it is made at, or with it."""


def _entries(value: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Cancel(Value):
    """What was about to happen to the session does not.

    Attributes:
        reason: Why, for people.
    """

    reason: str = ""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TreeSummary(Value):
    """What to remember of the branch that is left.

    Attributes:
        summary: For the model, which reads it on the branch that is gone to.
        details: What the extension wants to keep with it; never sent to the model.
    """

    summary: str
    details: Any = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionBeforeSwitchEvent(Event):
    """Another session is about to take the place of this one.

    Attributes:
        reason: Whether it is a new one or one that exists.
        target_session_file: The file of the one that exists.
    """

    hook_name: ClassVar[str] = "session_before_switch"
    reason: SwitchReason
    target_session_file: Path | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionBeforeForkEvent(Event):
    """The branch up to an entry is about to become a session of its own.

    Attributes:
        entry_id: The entry.
        position: Whether the new session ends with the entry or before it.
    """

    hook_name: ClassVar[str] = "session_before_fork"
    entry_id: str
    position: ForkPosition


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionBeforeTreeEvent(Event):
    """The session is about to go on from another of its entries.

    Attributes:
        target_id: That entry.
        old_leaf_id: The entry it stands at now; ``None`` in a session without entries.
        entries_to_summarize: What is on the branch that is left and not on the one that is gone to, oldest
            first.
        signal: Set when the user does not want to wait.
    """

    hook_name: ClassVar[str] = "session_before_tree"
    target_id: str
    old_leaf_id: str | None
    entries_to_summarize: tuple[Entry, ...] = attrs.field(converter=_entries)
    signal: AbortSignal


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionTreeEvent(Event):
    """The session goes on from another of its entries.

    Attributes:
        new_leaf_id: The entry that the next one will follow: the one chosen, or a summary behind it.
        old_leaf_id: The entry it stood at before.
        from_extension: Whether an extension gave a summary of the branch that was left.
    """

    hook_name: ClassVar[str] = "session_tree"
    new_leaf_id: str | None
    old_leaf_id: str | None
    from_extension: bool
