"""What can be kept of a damaged line of a session file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pihost.entries import Entry
from pihost.session._codec import as_entry

__all__ = ["is_torn_header", "records_in"]

_START = re.compile(rb'\{"type":"')
_MOST_STARTS = 200
"""Places in one damaged line at which another record is looked for; a bound, since each costs a parse."""
_HEADER_START = b'{"type":"session"'


def records_in(text: bytes) -> Iterator[Entry]:
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


def is_torn_header(line: bytes) -> bool:
    """Whether a line is the beginning of a header and no more."""
    try:
        json.loads(line)
    except RecursionError:  # no header is nested like that
        return False
    except ValueError:
        return line.startswith(_HEADER_START) or _HEADER_START.startswith(line)
    return False
