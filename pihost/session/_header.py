"""The header of a session file, for whoever reads no more than the file's beginning."""

from __future__ import annotations

from pathlib import Path

from pihost.entries import SessionHeader
from pihost.jsonlines import decode
from pihost.session._codec import NotARecordError, as_header

__all__ = ["HEADER_BYTES", "PADDING", "beginning_of", "split_header"]

HEADER_BYTES = 1 << 16
"""Bytes in which a header must end to be looked at."""
PADDING = b"\0 \t\r\n"
"""What may stand around a record: a crash can leave zeros, and editors leave blanks and line ends."""


def beginning_of(path: Path) -> bytes:
    """The first bytes of a session file.

    Raises:
        OSError: it cannot be read, or is no file: a pipe would let its reader wait.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    with path.open("rb") as file:
        return file.read(HEADER_BYTES)


def split_header(beginning: bytes) -> tuple[SessionHeader, bytes]:
    """The header that a file begins with, and what follows it.

    Args:
        beginning: The file's first bytes.

    Raises:
        NotARecordError: it does not begin with a header.
    """
    line, _, rest = beginning.lstrip(PADDING).partition(b"\n")
    try:
        value = decode(line.rstrip(PADDING))
    except ValueError as fault:
        raise NotARecordError(f"it is no JSON ({fault})") from fault
    return as_header(value), rest
