"""A session's entries: in memory always, and in a file of their own as they come."""

from __future__ import annotations

import functools
import itertools
import random
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pihost.diagnostics import Diagnostic
from pihost.entries import (
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    SessionHeader,
    SessionInfoEntry,
    StoredMessage,
)
from pihost.messages import CustomMessage, Message
from pihost.paths import slug
from pihost.session._codec import NotARecordError, encode_entry, encode_header, storable
from pihost.session._conversation import DAMAGED_KIND, POSITION_KIND, conversation, first_kept
from pihost.session._file import SessionFile
from pihost.session._tree import Entries, EntryTree
from pihost.session.errors import EntryNotFoundError, SessionCwdError, SessionFileError, SessionLockedError

if TYPE_CHECKING:
    from pihost.session._index import Index
    from pihost.session._reading import Records
    from pihost.session._tree import Place

__all__ = ["SessionStore", "read_session", "stored_header"]

_EntryType = TypeVar("_EntryType", bound=Entry)
_ID_BYTES = 4
_PIECE = 1 << 20
_READ_AT_ONCE = 1 << 20
"""Bytes of a conversation that are read with the opening; a longer one waits until it is asked for."""


def _now() -> str:
    return _moment(time.time_ns() // 1_000_000)


@functools.lru_cache(maxsize=1)
def _moment(milliseconds: int) -> str:
    """A time since the epoch, ISO 8601 in UTC; the entries of a burst share one."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def read_session(file: Path) -> Records:
    """A session file as it is now, without opening it for writing or locking it.

    Raises:
        OSError: it cannot be read.
        SessionFileError: it is not a session file.
    """
    from pihost.session._reading import read_records

    return read_records(file, file.read_bytes())


def stored_header(file: Path) -> SessionHeader | None:
    """The header of a session file, without reading on; ``None`` where it is as good as empty.

    Raises:
        OSError: it cannot be read.
        SessionFileError: it is not a session file.
    """
    from pihost.session._index import lines_of, read_header

    with file.open("rb") as opened:
        return read_header(file, lines_of(iter(lambda: opened.read(_PIECE), b"")))


class SessionStore:
    """A session and its file. A ``SessionReader``; a context manager that closes the file.

    The file appears with the first message: a session in which nothing was said leaves none. What cannot be
    written, for want of space or of the file, is written with a later entry; until then it is a warning.
    """

    def __init__(
        self, header: SessionHeader, file: SessionFile | None = None, index: Index | None = None
    ) -> None:
        self.header = header
        self._file = file
        self._source = file
        self._unwritten: list[bytes] = [] if index else [encode_header(header)]
        self._failing = False
        self._warnings: list[Diagnostic] = list(index.warnings) if index else []
        self._tree = EntryTree(index.entries, index.skipped, self._fetched) if index else EntryTree()

    @classmethod
    def create(
        cls, directory: Path, cwd: Path, *, name: str | None = None, parent: Path | None = None
    ) -> SessionStore:
        """A new session.

        Args:
            directory: Where the sessions of all directories are kept; each has its own folder there.
            cwd: The directory it works in, absolute.
            name: Its name, if it has one from the start.
            parent: The file of the session it comes from, if it comes from one.
        """
        header = _header(cwd, parent)
        return _named(cls(header, SessionFile(directory / slug(cwd) / _file_name(header))), name)

    def forked(self, entries: Sequence[Entry], directory: Path) -> SessionStore:
        """A session of its own with these entries; this one stays as it is.

        Args:
            entries: A branch of this session, or the beginning of one.
            directory: Where the sessions of all directories are kept; not used where this one is kept in
                memory.
        """
        parent = self.file if self._file and self._file.is_open else None
        header = _header(self.cwd, parent)
        folder = directory / slug(self.cwd)
        fork = type(self)(header, SessionFile(folder / _file_name(header)) if self._file else None)
        fork.adopt(entries, self.labels)
        return fork

    def adopt(self, entries: Sequence[Entry], labels: Mapping[str, str | None]) -> None:
        """Begin with entries of another session, before there are any.

        Args:
            entries: A branch, oldest first.
            labels: The labels of that session, by entry.
        """
        for entry in entries:
            self._tree.add(entry)
            self._unwritten.append(encode_entry(entry))
        for entry in entries:
            label = labels.get(entry.id)
            if label != self.label(entry.id):
                self.append(LabelEntry, target_id=entry.id, label=label)
        if self._file and any(isinstance(entry, MessageEntry | CustomMessageEntry) for entry in entries):
            self._write(self._file)

    @classmethod
    def in_memory(cls, cwd: Path, *, name: str | None = None) -> SessionStore:
        """A new session without a file."""
        return _named(cls(_header(cwd)), name)

    @classmethod
    def open(cls, path: Path, cwd: Path) -> SessionStore:
        """Go on with the session in a file; one that is absent or empty becomes a new session.

        Args:
            path: The file.
            cwd: The directory a new session works in, absolute.

        Raises:
            SessionFileError: it is a directory or no session, and stays as it is; or the directory around
                it is missing.
            SessionLockedError: another session has it open.
            SessionCwdError: the session's directory is gone.
        """
        if not path.parent.is_dir():
            raise SessionFileError(path, f"there is no directory {path.parent}")
        from pihost.session._index import index_of, lines_of

        file = SessionFile(path)
        try:
            index = index_of(path, lines_of(file.open()))
            if index.header is None:
                file.clear()
                return cls(_header(cwd), file)
            store = cls(_checked_cwd(path, index.header), file, index)
        except BaseException:
            file.close()
            raise
        store._look()
        return store

    @classmethod
    def reading(cls, file: Path) -> SessionStore:
        """A session to read: without a lock, and what is added to it stays in memory.

        Args:
            file: Its file.

        Raises:
            SessionFileError: it is no session, or cannot be read.
        """
        from pihost.session._index import index_of, lines_of

        try:
            with file.open("rb") as opened:
                index = index_of(file, lines_of(iter(lambda: opened.read(_PIECE), b"")))
        except OSError as fault:
            raise SessionFileError(file, fault.strerror or str(fault)) from fault
        if index.header is None:
            raise SessionFileError(file, "it is empty")
        store = cls(index.header, None, index)
        store._source = SessionFile(file)
        store._look()
        return store

    @classmethod
    def fork_of(cls, file: Path, directory: Path, cwd: Path) -> SessionStore:
        """A session of its own with the active branch of the one in ``file``, which is only read.

        Args:
            file: The file.
            directory: Where the sessions of all directories are kept.
            cwd: The directory the new session works in, absolute.

        Raises:
            SessionFileError: it is no session, or cannot be read.
        """
        origin = cls.reading(file)
        fork = cls.create(directory, cwd, parent=file)
        fork.adopt(origin.branch(), origin.labels)
        return fork

    @classmethod
    def newest(cls, directory: Path, cwd: Path) -> SessionStore | None:
        """The session of ``cwd`` that was written last; ``None`` where there is none.

        Args:
            directory: Where the sessions of all directories are kept.
            cwd: The directory the session works in, absolute.

        Raises:
            SessionLockedError: another session has it open.
        """
        from pihost.session._finding import newest_file

        path = newest_file(directory, cwd)
        return None if path is None else cls.open(path, cwd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def id(self) -> str:
        """The session's id."""
        return self.header.id

    @property
    def file(self) -> Path | None:
        """Its file, which exists from the first message on; ``None`` where it is kept in memory."""
        return self._file.path if self._file else None

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        return self._tree.name

    @property
    def cwd(self) -> Path:
        """The directory it works in."""
        return Path(self.header.cwd)

    @property
    def entries(self) -> Entries:
        """Every entry, oldest first."""
        return self._tree.all()

    @property
    def leaf_id(self) -> str | None:
        """The entry the next one will follow."""
        return self._tree.leaf

    @property
    def labels(self) -> Mapping[str, str | None]:
        """The labels that entries were given; ``None`` where one was taken away."""
        return self._tree.labels

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the file when it was opened, and what could not be written since."""
        return tuple(self._warnings)

    def branch(self) -> Entries:
        """The entries of the active branch, oldest first."""
        return self._tree.path(self._tree.leaf)

    def has(self, entry_id: str) -> bool:
        """Whether there is an entry of that id."""
        return entry_id in self._tree

    def path_to(self, entry_id: str) -> Entries:
        """The entries from the first to this one, oldest first.

        Raises:
            EntryNotFoundError: there is no such entry.
        """
        if entry_id not in self._tree:
            raise EntryNotFoundError(entry_id)
        return self._tree.path(entry_id)

    def go_to(self, entry_id: str) -> None:
        """Let the next entry follow this one.

        Raises:
            EntryNotFoundError: there is no such entry.
        """
        if entry_id not in self._tree:
            raise EntryNotFoundError(entry_id)
        self._tree.leaf = entry_id

    def label(self, entry_id: str) -> str | None:
        """The label of an entry, if it has one."""
        return self._tree.labels.get(entry_id)

    def messages(self) -> Sequence[Message]:
        """What the next request carries: the messages of the active branch, oldest first.

        Where it was compacted, the summary is the first and stands for all before the messages that stay.
        """
        shown = conversation(self.branch())
        self._tree.keep(said.entry for said in shown)
        return tuple(said.message for said in shown)

    def append_message(self, message: StoredMessage | CustomMessage) -> Entry:
        """Keep a message; details without a JSON form are kept as text.

        Args:
            message: The next message of the conversation.
        """
        kind = CustomMessageEntry if isinstance(message, CustomMessage) else MessageEntry
        try:
            return self.append(kind, message=message)
        except TypeError:
            return self.append(kind, message=storable(message))

    def append(self, entry_type: type[_EntryType], **fields: Any) -> _EntryType:
        """Add an entry to the active branch.

        Args:
            entry_type: Its class.
            **fields: The fields of that class besides id, parent and timestamp.

        Raises:
            TypeError: something in it has no JSON form; nothing is added then.
        """
        entry = entry_type(id=self._new_id(), parent_id=self._tree.leaf, timestamp=_now(), **fields)
        line = encode_entry(entry)
        self._tree.add(entry)
        if self._file:
            self._unwritten.append(line)
            if self._file.is_open or isinstance(entry, MessageEntry | CustomMessageEntry):
                self._write(self._file)
        return entry

    def close(self, *, keep_place: bool = True) -> None:
        """Give the file up; entries may still be added, in memory.

        Args:
            keep_place: Where the session was left at an entry that is not the last, let one more keep that.
        """
        if self._file:
            if keep_place and self._tree.leaf != self._tree.last:
                self.append(CustomEntry, kind=POSITION_KIND)
            if self._file.is_open and (self._unwritten or self._file.look_again()):
                self._write(self._file)
            self._file.close()
            self._file = None

    def _new_id(self) -> str:
        while (key := random.getrandbits(8 * _ID_BYTES).to_bytes(_ID_BYTES).hex()) in self._tree:
            pass
        return key

    def _look(self) -> None:
        """Read what the model will be shown, so that what is wrong with it is told now, unless it is much."""
        while (leaf := self._tree.leaf) is not None and _is_damaged(self._tree.entry(leaf)):
            self._tree.drop(leaf)
        branch = self.branch()
        if self._tree.size(branch.ids[first_kept(branch) :]) <= _READ_AT_ONCE:
            _ = self.messages()

    def _fetched(self, entry_id: str, place: Place) -> Entry:
        """Read an entry from the file. One that turns out to be damaged stands as an entry without a word."""
        from pihost.session._index import entry_in, left_out

        path = self._source.path if self._source else Path()
        try:
            return entry_in(self._source.read_at(place.offset, place.length) if self._source else b"")
        except OSError as fault:
            raise SessionFileError(path, fault.strerror or str(fault)) from fault
        except NotARecordError as fault:
            self._warnings.append(left_out(path, place.line, str(fault)))
        stand_in = CustomEntry(id=entry_id, parent_id=place.parent_id, timestamp="", kind=DAMAGED_KIND)
        self._tree.keep([stand_in])
        return stand_in

    def _write(self, file: SessionFile) -> None:
        try:
            file.append(self._unwritten, self._everything)
        except (OSError, SessionLockedError) as fault:
            if self._failing:
                return
            self._failing = True
            message = f"{file.path} could not be written ({fault}); the session goes on without it for now"
            self._warnings.append(
                Diagnostic(level="warning", kind="session", message=message, source=str(file.path))
            )
        else:
            self._failing = False
            self._unwritten.clear()

    def _everything(self) -> bytes:
        entries = list(self._tree.all())
        self._tree.keep(entries)  # the file they could be read from is going away
        return b"".join(itertools.chain([encode_header(self.header)], map(encode_entry, entries)))


def _is_damaged(entry: Entry) -> bool:
    return isinstance(entry, CustomEntry) and entry.kind == DAMAGED_KIND


def _file_name(header: SessionHeader) -> str:
    stamp = header.timestamp.replace(":", "-").replace(".", "-")
    return f"{stamp}_{header.id}.jsonl"


def _named(store: SessionStore, name: str | None) -> SessionStore:
    if name:
        store.append(SessionInfoEntry, name=name)
    return store


def _checked_cwd(file: Path, header: SessionHeader) -> SessionHeader:
    if not Path(header.cwd).is_dir():
        raise SessionCwdError(file, Path(header.cwd))
    return header


def _header(cwd: Path, parent: Path | None = None) -> SessionHeader:
    return SessionHeader(
        id=str(uuid.uuid4()), timestamp=_now(), cwd=str(cwd), parent_session=str(parent) if parent else None
    )
