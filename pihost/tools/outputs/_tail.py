"""The last part of a text stream, in bounded memory."""

from __future__ import annotations

from collections import deque
from typing import Final

from pihost.tools.outputs._utf8 import boundary_after

__all__ = ["Tail"]

_NEWLINE: Final = 0x0A
# Chunks shorter than this are joined, so that a stream of single bytes is not kept as single objects.
_SMALL: Final = 4096


class Tail:
    """Keeps the end of a stream of UTF-8 chunks, without copying them.

    It grows to ``max_bytes * 4`` bytes and is cut back to ``max_bytes * 2`` when it goes over, at a character
    boundary.

    Args:
        max_bytes: Most bytes that are going to be shown of it.
    """

    def __init__(self, max_bytes: int) -> None:
        self._most = max_bytes * 4
        self._least = max_bytes * 2
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._starts_at_line_start = True

    def append(self, data: bytes) -> None:
        """Take the next chunk, which holds whole characters."""
        if len(data) < _SMALL and self._chunks and len(self._chunks[-1]) < _SMALL:
            self._chunks[-1] += data
        else:
            self._chunks.append(data)
        self._size += len(data)
        if self._size > self._most:
            self._cut_back()

    def text(self) -> str:
        """Return what is kept, without a first line whose start was cut off if another line follows it."""
        data = b"".join(self._chunks)
        start = 0 if self._starts_at_line_start else data.find(b"\n") + 1
        return data[start:].decode()

    def _cut_back(self) -> None:
        surplus = self._size - self._least
        while len(self._chunks[0]) < surplus:
            surplus -= len(self._chunks.popleft())
        # At least one byte of this chunk goes, so the one before the cut is at hand.
        first = self._chunks[0]
        start = boundary_after(first, surplus)
        self._starts_at_line_start = first[start - 1] == _NEWLINE
        self._chunks[0] = first[start:]
        self._size = self._least + surplus - start
