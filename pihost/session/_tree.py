"""The entries of a session as a tree: those in memory, and those that are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar, overload

import attrs

from pihost.entries import Entry, LabelEntry, SessionInfoEntry
from pihost.session.errors import EntryNotFoundError

__all__ = ["Entries", "EntryTree", "Fetch", "Place", "ids_of", "of_type"]

_E = TypeVar("_E", bound=attrs.AttrsInstance)


class Place(NamedTuple):
    """An entry that was not read yet.

    Attributes:
        line: The number of its line in the file.
        offset: Bytes before it.
        length: Its bytes.
        type: Its type.
        parent_id: The entry before it.
    """

    line: int
    offset: int
    length: int
    type: str
    parent_id: str | None


Fetch = Callable[[str, Place], Entry]
"""Reads the entry of that id at that place."""


class Entries(Sequence[Entry]):
    """Entries of a tree, in order, each read when it is asked for.

    Args:
        tree: Whose they are.
        ids: Their ids.
    """

    def __init__(self, tree: EntryTree, ids: Sequence[str]) -> None:
        self.tree = tree
        self.ids = ids

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Entries: ...
    def __getitem__(self, index: int | slice) -> Entry | Entries:
        if isinstance(index, slice):
            return Entries(self.tree, self.ids[index])
        return self.tree.entry(self.ids[index])

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]  # what is compared by its contents has none

    def __repr__(self) -> str:
        return f"<{len(self)} entries>"


def _same(one: object, other: object) -> bool:
    return one == other


def ids_of(branch: Sequence[Entry]) -> Sequence[str]:
    """The ids of entries, without reading what was not read yet."""
    return branch.ids if isinstance(branch, Entries) else [entry.id for entry in branch]


def of_type(branch: Sequence[Entry], *kinds: type[_E], last_first: bool = False) -> Iterator[tuple[int, _E]]:
    """The entries of these classes and their places in a branch; no other is read.

    Args:
        branch: The entries.
        *kinds: Classes of entries.
        last_first: Whether to begin at the end.
    """
    names = {_type_of(kind) for kind in kinds}
    places = range(len(branch))
    for place in reversed(places) if last_first else places:
        if not isinstance(branch, Entries) or branch.tree.type_of(branch.ids[place]) in names:
            entry = branch[place]
            if isinstance(entry, kinds):
                yield place, entry


def _type_of(kind: type[attrs.AttrsInstance]) -> str:
    return str(attrs.fields_dict(kind)["type"].default)


class EntryTree:
    """The entries of a session by id, in the order in which they came.

    Attributes:
        leaf: The entry that the next one follows.
        labels: The label of each entry that was given one.
        name: The session's name.

    Args:
        found: What a file holds, by id.
        skipped: Parents of the entries of unknown types, so that what follows them keeps its place.
        fetch: Reads an entry that is not in memory.
    """

    def __init__(
        self,
        found: Mapping[str, Entry | Place] | None = None,
        skipped: Mapping[str, str | None] | None = None,
        fetch: Fetch | None = None,
    ) -> None:
        self._entries: dict[str, Entry | Place] = {}
        self._skipped = dict(skipped or {})
        self._fetch = fetch
        self._order: dict[str, str | None] = {}
        self.leaf: str | None = None
        self.labels: dict[str, str | None] = {}
        self.name: str | None = None
        for key, entry in (found or {}).items():
            if isinstance(entry, Place):
                self._entries[key] = entry
                self.leaf = key
            else:
                self.add(entry)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._entries

    @property
    def last(self) -> str | None:
        """The entry that came last."""
        return next(reversed(self._entries), None)

    def add(self, entry: Entry) -> None:
        """Take in the next entry; the one after it follows it."""
        self._entries[entry.id] = entry
        self.leaf = entry.id
        if isinstance(entry, LabelEntry):
            self.labels[entry.target_id] = entry.label
        elif isinstance(entry, SessionInfoEntry):
            self.name = entry.name or None

    def entry(self, entry_id: str) -> Entry:
        """The entry of that id.

        Raises:
            EntryNotFoundError: there is none.
            SessionFileError: it cannot be read any more.
        """
        found = self._entries.get(entry_id)
        if found is None:
            raise EntryNotFoundError(entry_id)
        if not isinstance(found, Place):
            return found
        if self._fetch is None:
            raise EntryNotFoundError(entry_id)
        return self._fetch(entry_id, found)

    def drop(self, entry_id: str) -> None:
        """Forget an entry; where it was the leaf, the one before it in the file is."""
        self._skipped[entry_id] = self._entries[entry_id].parent_id
        if self.leaf == entry_id:
            self.leaf = self._before(entry_id)
        del self._entries[entry_id]
        self._order.clear()

    def keep(self, entries: Iterable[Entry]) -> None:
        """Keep these in memory: they will be asked for again."""
        for entry in entries:
            self._entries[entry.id] = entry

    def type_of(self, entry_id: str) -> str:
        """The type of an entry, without reading it."""
        return self._entries[entry_id].type

    def size(self, ids: Iterable[str]) -> int:
        """Bytes that reading these entries would take."""
        found = (self._entries[entry_id] for entry_id in ids)
        return sum(entry.length for entry in found if isinstance(entry, Place))

    def all(self) -> Entries:
        """Every entry, in order."""
        return Entries(self, tuple(self._entries))

    def path(self, leaf: str | None) -> Entries:
        """The branch that ends with an entry, oldest first."""
        return Entries(self, tuple(reversed(tuple(self._upwards(leaf)))))

    def _upwards(self, leaf: str | None) -> Iterator[str]:
        """A branch from its leaf up. A parent that was lost is replaced by the record before."""
        seen: set[str] = set()
        at = leaf
        while at is not None and at not in seen:
            seen.add(at)
            entry = self._entries.get(at)
            if entry is None:
                at = self._skipped.get(at)
                continue
            yield at
            parent = entry.parent_id
            if parent is not None and parent not in self._entries and parent not in self._skipped:
                parent = self._before(at)
            at = parent

    def _before(self, entry_id: str) -> str | None:
        """The entry that came before one; looked up once for all, since many may have lost their parents."""
        if entry_id not in self._order:
            self._order = dict(zip(self._entries, [None, *self._entries], strict=False))
        return self._order[entry_id]
