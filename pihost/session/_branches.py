"""A session's tree as lines of entries: the active branch first, then what others have of their own."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from pihost.entries import Entry
from pihost.session.store import SessionStore

__all__ = ["BranchLine", "branch_lines"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BranchLine:
    """Entries that follow each other without a fork between them being taken.

    Attributes:
        parent_id: The entry that the first follows; ``None`` where it follows none.
        entries: The entries, oldest first.
        is_active: Whether this is the active branch.
    """

    parent_id: str | None
    entries: tuple[Entry, ...]
    is_active: bool


def branch_lines(store: SessionStore) -> list[BranchLine]:
    """Every entry of a session, each in one line.

    Args:
        store: The session.
    """
    active = tuple(store.branch())
    lines = [BranchLine(parent_id=None, entries=active, is_active=True)]
    seen = {entry.id for entry in active}
    children = _children(store.entries)
    for entry in store.entries:
        if entry.id not in seen:
            line = _line(entry, children, seen)
            lines.append(BranchLine(parent_id=entry.parent_id, entries=line, is_active=False))
    return lines


def _children(entries: Sequence[Entry]) -> dict[str | None, list[Entry]]:
    children: dict[str | None, list[Entry]] = {}
    for entry in entries:
        children.setdefault(entry.parent_id, []).append(entry)
    return children


def _line(first: Entry, children: dict[str | None, list[Entry]], seen: set[str]) -> tuple[Entry, ...]:
    """The entries from one on, always the newest child; the other children begin lines of their own."""
    line = [first]
    seen.add(first.id)
    while following := [child for child in children.get(line[-1].id, ()) if child.id not in seen]:
        line.append(following[-1])
        seen.add(following[-1].id)
    return tuple(line)
