"""A session file's bytes as its header and every record that is complete, whatever else is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from pihost.diagnostics import Diagnostic
from pihost.entries import Entry, SessionHeader
from pihost.jsonlines import decode
from pihost.session._codec import NotARecordError, as_entry, as_header
from pihost.session.errors import SessionFileError

__all__ = ["Records", "read_records"]

_START = re.compile(rb'\{"type":"')
_MOST_STARTS = 200
"""Places in one damaged line at which another record is looked for; a bound, since each costs a parse."""
_SHOWN = 60
"""Characters of a damaged line that a warning shows."""
_HEADER_START = b'{"type":"session"'


@attrs.frozen(kw_only=True)
class Records:
    """What a session file holds.

    Attributes:
        header: Its header; ``None`` where it has no complete record at all.
        entries: The entries that could be read, in order.
        skipped: Parents of the entries of unknown types, by id, so that what follows them keeps its place.
        warnings: One for each record that could not be read.
    """

    header: SessionHeader | None = None
    entries: tuple[Entry, ...] = ()
    skipped: dict[str, str | None] = attrs.field(factory=dict)
    warnings: tuple[Diagnostic, ...] = ()


class _Reader:
    """Collects the records of one file, line by line."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.entries: dict[str, Entry] = {}
        self.skipped: dict[str, str | None] = {}
        self.warnings: list[Diagnostic] = []

    def line(self, number: int, line: bytes) -> None:
        """Take one line in."""
        text = line.strip(b"\0 \t\r")
        if len(text) < len(line.strip(b" \t\r")):
            self.warn(number, "padding of NUL bytes")
        if not text:
            return
        try:
            value = decode(text)
        except ValueError:
            self.damaged(number, text)
        else:
            self.value(number, value)

    def value(self, number: int, value: object) -> None:
        """Take in what a whole line says."""
        try:
            self.keep(as_entry(value))
        except NotARecordError as fault:
            self.warn(number, str(fault))
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                parent = value.get("parent_id")
                self.skipped[value["id"]] = parent if isinstance(parent, str) else None

    def damaged(self, number: int, text: bytes) -> None:
        """Take in the records that stand in a line which is not one record as a whole."""
        found = list(_records_in(text))
        for entry in found:
            self.keep(entry)
        kept = f"; {len(found)} in it could be kept" if found else ""
        self.warn(number, f"not one whole record{kept}: {text[:_SHOWN].decode(errors='replace')!r}")

    def keep(self, entry: Entry) -> None:
        """Add an entry unless its id is taken: a record may have been written again after a fault."""
        self.entries.setdefault(entry.id, entry)

    def warn(self, number: int, what: str) -> None:
        """Report what is left out of a line."""
        message = f"{self.file}, line {number}: {what}; left out"
        self.warnings.append(
            Diagnostic(level="warning", kind="session", message=message, source=str(self.file))
        )


def _records_in(text: bytes) -> Iterator[Entry]:
    """The complete records in a line: several joined, or some behind a torn one."""
    decoder = json.JSONDecoder()
    position = 0
    for count, match in enumerate(_START.finditer(text)):
        if count == _MOST_STARTS:
            return
        if match.start() < position:
            continue
        rest = text[match.start() :].decode(errors="surrogateescape")
        try:
            value, length = decoder.raw_decode(rest)
            entry = as_entry(value)
        except (ValueError, RecursionError):
            continue
        position = match.start() + len(rest[:length].encode(errors="surrogateescape"))
        yield entry


def read_records(file: Path, data: bytes) -> Records:
    """Read a session file; a record that is torn, foreign or of an unknown type costs that record only.

    Args:
        file: Where it comes from, for messages.
        data: Its bytes.

    Raises:
        SessionFileError: it is not a session file, or of a newer format.
    """
    lines = data.split(b"\n")
    first = next((index for index, line in enumerate(lines) if line.strip(b"\0 \t\r")), None)
    if first is None:
        return Records()
    header_line = lines[first].strip(b"\0 \t\r")
    try:
        header = as_header(decode(header_line))
    except ValueError as fault:
        if first == len(lines) - 1 and _is_torn_header(header_line):
            return Records()
        reason = (
            str(fault) if isinstance(fault, NotARecordError) else "it does not begin with a session's header"
        )
        raise SessionFileError(file, reason) from fault
    reader = _Reader(file)
    for number, line in enumerate(lines[first + 1 :], first + 2):
        if line:
            reader.line(number, line)
    return Records(
        header=header,
        entries=tuple(reader.entries.values()),
        skipped=reader.skipped,
        warnings=tuple(reader.warnings),
    )


def _is_torn_header(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return line.startswith(_HEADER_START) or _HEADER_START.startswith(line)
    return False
