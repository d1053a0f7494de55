"""Reading a session file line by line: where each entry is, and what is no entry; only what must is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs
import msgspec

from pihost.diagnostics import Diagnostic
from pihost.entries import Entry, SessionHeader
from pihost.jsonlines import decode
from pihost.session._codec import NotARecordError, as_entry, as_header
from pihost.session._header import PADDING
from pihost.session._salvage import is_torn_header, records_in
from pihost.session._tree import Place
from pihost.session.errors import SessionFileError

__all__ = ["Index", "entry_in", "index_of", "left_out", "lines_of", "read_header"]

Lines = Iterable[tuple[int, bytes]]
"""The lines of a file without their ends, each with the bytes before it."""

_LAZY = frozenset(
    {"message", "custom_message", "model_change", "thinking_level_change", "compaction", "custom"}
)
"""Types whose entries wait in the file: what they say is not asked for before their branch is."""
_SHOWN = 60
"""Characters of a damaged line that a warning shows."""


class _Head(msgspec.Struct):
    """What must be known of an entry to put it in its place."""

    type: str
    id: str
    parent_id: str | None = None


_decoder = msgspec.json.Decoder(_Head)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Index:
    """What a session file holds.

    Attributes:
        header: Its header; ``None`` where it has no complete record at all.
        entries: Its entries by id, in order; most of them are places in the file.
        skipped: Parents of the entries of unknown types, by id, so that what follows them keeps its place.
        warnings: One for each record that could not be read.
    """

    header: SessionHeader | None = None
    entries: dict[str, Entry | Place] = attrs.field(factory=dict)
    skipped: dict[str, str | None] = attrs.field(factory=dict)
    warnings: list[Diagnostic] = attrs.field(factory=list)


def lines_of(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines in a file's pieces, each with the bytes before it; records end at a newline only.

    No more is in memory than a line and a piece.

    Args:
        pieces: The file's bytes, in order.
    """
    offset = 0
    parts: list[bytes] = []
    for piece in pieces:
        first, *others = piece.split(b"\n")
        parts.append(first)
        for other in others:
            line = b"".join(parts)
            yield offset, line
            offset += len(line) + 1
            parts = [other]
    yield offset, b"".join(parts)


def read_header(file: Path, lines: Lines) -> SessionHeader | None:
    """The header of a session file; ``None`` where it has no complete record at all.

    Args:
        file: Where it comes from, for messages.
        lines: Its lines; the one after the header is read at most.

    Raises:
        SessionFileError: it is not a session file, or of a newer format.
    """
    return _header(file, iter(enumerate(lines, 1)))


def index_of(file: Path, lines: Lines) -> Index:
    """Where everything is in a session file; a record that is torn or foreign costs that record only.

    Args:
        file: Where it comes from, for messages.
        lines: Its lines.

    Raises:
        SessionFileError: it is not a session file, or of a newer format.
    """
    numbered = iter(enumerate(lines, 1))
    header = _header(file, numbered)
    if header is None:
        return Index()
    indexer = _Indexer(file, header)
    for number, (offset, line) in numbered:
        if line:
            indexer.line(number, offset, line)
    return indexer.index


def entry_in(text: bytes) -> Entry:
    """The entry that a line is.

    Raises:
        NotARecordError: it is none.
    """
    try:
        return as_entry(decode(text))
    except NotARecordError:
        raise
    except ValueError as fault:
        raise NotARecordError(f"it is no JSON ({fault})") from fault


def _header(file: Path, numbered: Iterator[tuple[int, tuple[int, bytes]]]) -> SessionHeader | None:
    text = next((line for _, (_, line) in numbered if line.strip(PADDING)), b"").strip(PADDING)
    if not text:
        return None
    try:
        return as_header(decode(text))
    except ValueError as fault:
        if is_torn_header(text) and next(numbered, None) is None:
            return None
        told = isinstance(fault, NotARecordError)
        reason = str(fault) if told else "it does not begin with a session's header"
        raise SessionFileError(file, reason) from fault


class _Indexer:
    """Collects the records of one file, line by line."""

    def __init__(self, file: Path, header: SessionHeader) -> None:
        self._file = file
        self.index = Index(header=header)

    def line(self, number: int, offset: int, line: bytes) -> None:
        """Take one line in."""
        text = line.strip(PADDING)
        if len(text) < len(line) and len(text) < len(line.strip(b" \t\r")):
            self._warn(number, "padding of NUL bytes")
        if not text:
            return
        try:
            head = _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._whole(number, text)
            return
        if head.type in _LAZY:
            start = offset + len(line) - len(line.lstrip(PADDING))
            place = Place(number, start, len(text), head.type, head.parent_id)
            self.index.entries.setdefault(head.id, place)
        else:
            self._whole(number, text)

    def _whole(self, number: int, text: bytes) -> None:
        """Take in a line that has to be read now."""
        try:
            value = decode(text)
        except ValueError:
            self._damaged(number, text)
            return
        try:
            self._keep(as_entry(value))
        except NotARecordError as fault:
            self._warn(number, str(fault))
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                parent = value.get("parent_id")
                self.index.skipped[value["id"]] = parent if isinstance(parent, str) else None

    def _damaged(self, number: int, text: bytes) -> None:
        """Take in the records that stand in a line which is not one record as a whole."""
        found = list(records_in(text))
        for entry in found:
            self._keep(entry)
        kept = f"; {len(found)} in it could be kept" if found else ""
        self._warn(number, f"not one whole record{kept}: {text[:_SHOWN].decode(errors='replace')!r}")

    def _keep(self, entry: Entry) -> None:
        """Add an entry unless its id is taken: a record may have been written again after a fault."""
        self.index.entries.setdefault(entry.id, entry)

    def _warn(self, number: int, what: str) -> None:
        self.index.warnings.append(left_out(self._file, number, what))


def left_out(file: Path, number: int, what: str) -> Diagnostic:
    """What is told of a line of which something is left out."""
    message = f"{file}, line {number}: {what}; left out"
    return Diagnostic(level="warning", kind="session", message=message, source=str(file))
