"""Events of compaction: a summary takes the place of the older part of a conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import attrs

from pihost._values import Value
from pihost.abort import AbortSignal
from pihost.entries import CompactionEntry, Entry
from pihost.events._base import Event
from pihost.messages import Message

__all__ = [
    "Compaction",
    "CompactionPreparation",
    "CompactionReason",
    "SessionBeforeCompactEvent",
    "SessionCompactEvent",
    "SessionCompactFailedEvent",
]

CompactionReason = Literal["manual", "threshold", "overflow"]
"""Why a conversation is compacted: somebody asked, it grew to a share of the window, or it fits no longer."""


def _messages(value: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(value)


def _entries(value: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CompactionPreparation(Value):
    """What a compaction would do.

    Attributes:
        messages_to_summarize: The messages that a summary is to stand for, oldest first; a summary of an
            earlier compaction is the first of them.
        kept_messages: The messages after them, which stay as they are.
        first_kept_entry_id: Entry of the first message that stays.
        tokens_before: Tokens of the conversation, as reported and estimated.
    """

    messages_to_summarize: tuple[Message, ...] = attrs.field(converter=_messages)
    kept_messages: tuple[Message, ...] = attrs.field(converter=_messages)
    first_kept_entry_id: str
    tokens_before: int


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Compaction(Value):
    """A compaction to carry out instead.

    Attributes:
        summary: For the model, in place of what is left out.
        first_kept_entry_id: The entry from which on messages stay.
        details: What the extension wants to keep with it; never sent to the model.
    """

    summary: str
    first_kept_entry_id: str
    details: Any = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionBeforeCompactEvent(Event):
    """The conversation is about to be compacted.

    Attributes:
        preparation: What would be done.
        branch_entries: The entries of the active branch, oldest first.
        custom_instructions: What the user said about the summary; ``None`` where nothing.
        reason: The user asked, the context is nearly full, or a provider said that it is too long.
        signal: Set when the user wants it to end.
    """

    hook_name: ClassVar[str] = "session_before_compact"
    preparation: CompactionPreparation
    branch_entries: tuple[Entry, ...] = attrs.field(converter=_entries)
    custom_instructions: str | None
    reason: CompactionReason
    signal: AbortSignal


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionCompactEvent(Event):
    """The conversation was compacted.

    Attributes:
        entry: What was stored.
        reason: See ``session_before_compact``.
        from_extension: Whether an extension wrote the summary.
    """

    hook_name: ClassVar[str] = "session_compact"
    entry: CompactionEntry
    reason: CompactionReason
    from_extension: bool


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionCompactFailedEvent(Event):
    """The conversation was not compacted, and stays as it was.

    Attributes:
        error_message: Why, for people.
        aborted: Whether the user or an extension did not want it.
        reason: See ``session_before_compact``.
        from_extension: Whether an extension cancelled it, or what it gave could not be used.
    """

    hook_name: ClassVar[str] = "session_compact_failed"
    error_message: str
    aborted: bool
    reason: CompactionReason
    from_extension: bool
