"""What of a branch a model is shown: its messages, and a summary in place of those that were compacted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import attrs

from pihost.entries import CompactionEntry, CustomMessageEntry, Entry, MessageEntry
from pihost.messages import CustomMessage, Message
from pihost.session._tree import ids_of, of_type

__all__ = [
    "COMPACTION_KIND",
    "DAMAGED_KIND",
    "POSITION_KIND",
    "Shown",
    "conversation",
    "first_kept",
    "last_compaction",
]

COMPACTION_KIND = "compaction"
"""Kind of the message in which a model reads a compaction's summary."""
DAMAGED_KIND = "damaged"
"""Kind of the entry that stands for one which could not be read."""
POSITION_KIND = "tree_position"
"""Kind of the entry that says nothing but where in its tree a session was left."""
_SUMMARY = "The conversation before this point was compacted. This is what it came to:\n\n{summary}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Shown:
    """A message that a model is shown.

    Attributes:
        entry: The entry it comes from.
        message: The message.
    """

    entry: Entry
    message: Message


def conversation(branch: Sequence[Entry]) -> list[Shown]:
    """What a model is shown of a branch, oldest first. Nothing else of it is read.

    Args:
        branch: Every entry of the branch, oldest first.
    """
    found = last_compaction(branch)
    said = _said(branch[first_kept(branch) :])
    if found is None:
        return said
    _place, compaction = found
    return [Shown(entry=compaction, message=_summary(compaction)), *said]


def first_kept(branch: Sequence[Entry]) -> int:
    """The place in a branch from which on messages are shown: after the last compaction, that of its tail."""
    found = last_compaction(branch)
    if found is None:
        return 0
    place, compaction = found
    ids = ids_of(branch)[:place]
    return ids.index(compaction.first_kept_entry_id) if compaction.first_kept_entry_id in ids else place


def last_compaction(branch: Sequence[Entry]) -> tuple[int, CompactionEntry] | None:
    """The last compaction of a branch and its place there; ``None`` where there is none."""
    return next(of_type(branch, CompactionEntry, last_first=True), None)


def _said(entries: Sequence[Entry]) -> list[Shown]:
    found: Iterator[tuple[int, MessageEntry | CustomMessageEntry]]
    found = of_type(entries, MessageEntry, CustomMessageEntry)
    return [Shown(entry=entry, message=entry.message) for _, entry in found]


def _summary(entry: CompactionEntry) -> CustomMessage:
    return CustomMessage(
        kind=COMPACTION_KIND,
        content=_SUMMARY.format(summary=entry.summary),
        details=entry.details,
        timestamp=_milliseconds(entry.timestamp),
    )


def _milliseconds(timestamp: str) -> int:
    try:
        return int(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except ValueError:  # written by somebody else
        return 0
