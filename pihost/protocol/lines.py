"""A stream of bytes as lines: a record ends at a newline and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

__all__ = ["MAX_LINE_BYTES", "LineFault", "LineSplitter"]

MAX_LINE_BYTES = 32 * 1024 * 1024
"""How long a record may be, its newline not counted."""

_NEWLINE = b"\n"


@attrs.frozen
class LineFault:
    """Stands for a line that is no record.

    Attributes:
        reason: Why not, as a sentence.
    """

    reason: str


class LineSplitter:
    """Splits what arrives in pieces into lines, in time and memory that follow what arrives.

    Args:
        max_bytes: How long a line may be. Of a longer one nothing is kept.
    """

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._begun = bytearray()
        self._skipping = False

    def feed(self, piece: bytes) -> Iterator[bytes | LineFault]:
        """Take in the next piece.

        Args:
            piece: The bytes.

        Yields:
            Each line that it ends, without its newline.
        """
        *ended, rest = piece.split(_NEWLINE)
        for part in ended:
            self._add(part)
            yield self._take()
        self._add(rest)

    def finish(self) -> LineFault | None:
        """The fault of a last line that was never ended, if there is one."""
        if not self._begun and not self._skipping:
            return None
        self._take()
        return LineFault("the last line was not ended by a newline; nothing of it was done")

    def _add(self, part: bytes) -> None:
        if self._skipping or len(self._begun) + len(part) > self._max_bytes:
            self._skipping = True
            self._begun.clear()
        else:
            self._begun += part

    def _take(self) -> bytes | LineFault:
        line, skipped = bytes(self._begun), self._skipping
        self._begun.clear()
        self._skipping = False
        if skipped:
            return LineFault(f"the line is longer than {self._max_bytes} bytes; nothing of it was done")
        return line
