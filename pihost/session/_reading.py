"""A session file's bytes as its header and every record that is complete, whatever else is in it."""

from __future__ import annotations

from pathlib import Path

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic
from pihost.entries import Entry, SessionHeader
from pihost.session._codec import NotARecordError
from pihost.session._index import entry_in, index_of, left_out, lines_of
from pihost.session._tree import Place

__all__ = ["Records", "read_records"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Records(Value):
    """What a session file holds.

    Attributes:
        header: Its header; ``None`` where it has no complete record at all.
        entries: The entries that could be read, in order.
        warnings: One for each record that could not be read.
    """

    header: SessionHeader | None = None
    entries: tuple[Entry, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def read_records(file: Path, data: bytes) -> Records:
    """Read a session file; a record that is torn, foreign or of an unknown type costs that record only.

    Args:
        file: Where it comes from, for messages.
        data: Its bytes.

    Raises:
        SessionFileError: it is not a session file, or of a newer format.
    """
    index = index_of(file, lines_of([data]))
    entries: list[Entry] = []
    for found in index.entries.values():
        if not isinstance(found, Place):
            entries.append(found)
            continue
        try:
            entries.append(entry_in(data[found.offset : found.offset + found.length]))
        except NotARecordError as fault:
            index.warnings.append(left_out(file, found.line, str(fault)))
    return Records(header=index.header, entries=tuple(entries), warnings=tuple(index.warnings))
