"""Counting and finding positions in text by its UTF-8 bytes, without ever encoding the whole of it."""

from __future__ import annotations

from typing import Final

import attrs

from pihost._values import Value

__all__ = [
    "Extent",
    "boundary_after",
    "boundary_before",
    "chars_from_end",
    "chars_from_start",
    "measure",
    "nth_newline",
]

# One block and its bytes stay in the processor's cache; a copy of the whole text would not.
_BLOCK: Final = 16 * 1024
# In a span this short, stepping from newline to newline beats halving it once more.
_SHORT_SPAN: Final = 4096


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Extent(Value):
    """How much a text is.

    Attributes:
        size: UTF-8 bytes; a lone surrogate counts three.
        lines: Lines; a final newline opens no further one.
        has_surrogates: Whether the text holds lone surrogates.
    """

    size: int
    lines: int
    has_surrogates: bool


def measure(text: str) -> Extent:
    """Count the bytes and the lines of ``text`` in one pass."""
    size = newlines = 0
    has_surrogates = False
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        try:
            encoded = block.encode()
        except UnicodeEncodeError:
            has_surrogates = True
            encoded = _encode(block)
        size += len(encoded)
        newlines += encoded.count(b"\n")
    open_line = bool(text) and not text.endswith("\n")
    return Extent(size=size, lines=newlines + open_line, has_surrogates=has_surrogates)


def chars_from_start(text: str, limit: int) -> int:
    """Return how many leading characters of ``text`` fit into ``limit`` UTF-8 bytes."""
    if text.isascii():
        return min(limit, len(text))
    left = limit
    for start in range(0, len(text), _BLOCK):
        encoded = _encode(text[start : start + _BLOCK])
        if len(encoded) > left:
            return start + _count_chars(encoded[: boundary_before(encoded, left)])
        left -= len(encoded)
    return len(text)


def chars_from_end(text: str, end: int, limit: int) -> int:
    """Return how many characters before position ``end`` of ``text`` fit into ``limit`` UTF-8 bytes."""
    if text.isascii():
        return min(limit, end)
    left = limit
    for stop in range(end, 0, -_BLOCK):
        encoded = _encode(text[max(stop - _BLOCK, 0) : stop])
        if len(encoded) > left:
            return end - stop + _count_chars(encoded[boundary_after(encoded, len(encoded) - left) :])
        left -= len(encoded)
    return end


def nth_newline(text: str, n: int, start: int, end: int) -> int:
    """Return the position of the ``n``-th newline (from 1) in ``text[start:end]``, which holds that many."""
    while end - start > _SHORT_SPAN:
        middle = (start + end) // 2
        found = text.count("\n", start, middle)
        if found >= n:
            end = middle
        else:
            start, n = middle, n - found
    position = start - 1
    for _ in range(n):
        position = text.find("\n", position + 1, end)
    return position


def boundary_before(data: bytes, position: int) -> int:
    """Move ``position`` in ``data`` back to where a UTF-8 character starts."""
    while 0 < position < len(data) and _is_continuation(data[position]):
        position -= 1
    return position


def boundary_after(data: bytes | bytearray, position: int) -> int:
    """Move ``position`` in ``data`` forward to where a UTF-8 character starts."""
    while position < len(data) and _is_continuation(data[position]):
        position += 1
    return position


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _count_chars(encoded: bytes) -> int:
    return len(encoded.decode("utf-8", "surrogatepass"))


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80  # noqa: PLR2004 - the two top bits that mark a continuation byte
