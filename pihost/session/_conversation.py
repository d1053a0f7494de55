"""What of a branch a model is shown: its messages, and a summary in place of those that were compacted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from pihost.entries import CompactionEntry, CustomMessageEntry, Entry, MessageEntry
from pihost.messages import CustomMessage, Message

__all__ = ["COMPACTION_KIND", "POSITION_KIND", "Shown", "conversation", "last_compaction"]

COMPACTION_KIND = "compaction"
"""Kind of the message in which a model reads a compaction's summary."""
POSITION_KIND = "tree_position"
"""Kind of the entry that says nothing but where in its tree a session was left."""
_SUMMARY = "The conversation before this point was compacted. This is what it came to:\n\n{summary}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Shown:
    """A message that a model is shown.

    Attributes:
        entry_id: The entry it comes from.
        message: The message.
    """

    entry_id: str
    message: Message


def conversation(branch: Sequence[Entry]) -> list[Shown]:
    """What a model is shown of a branch, oldest first.

    Args:
        branch: Every entry of the branch, oldest first.
    """
    found = last_compaction(branch)
    if found is None:
        return _said(branch)
    place, compaction = found
    first = next(
        (index for index, entry in enumerate(branch[:place]) if entry.id == compaction.first_kept_entry_id),
        place,
    )
    return [Shown(entry_id=compaction.id, message=_summary(compaction)), *_said(branch[first:])]


def last_compaction(branch: Sequence[Entry]) -> tuple[int, CompactionEntry] | None:
    """The last compaction of a branch and its place there; ``None`` where there is none."""
    for place in reversed(range(len(branch))):
        entry = branch[place]
        if isinstance(entry, CompactionEntry):
            return place, entry
    return None


def _said(entries: Sequence[Entry]) -> list[Shown]:
    return [
        Shown(entry_id=entry.id, message=entry.message)
        for entry in entries
        if isinstance(entry, MessageEntry | CustomMessageEntry)
    ]


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
