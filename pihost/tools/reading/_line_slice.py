"""Some lines out of a stream, counted and cut in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from pihost._values import Value

__all__ = ["LineSlice", "slice_lines"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LineSlice(Value):
    r"""The wanted lines of a stream. A line ends at ``"\n"``; a final one opens no further line.

    Attributes:
        data: The first bytes of the wanted lines.
        lines: How many wanted lines there are.
        size: Their bytes.
        first_size: Bytes of the first of them, without its end.
        total_lines: Lines of the whole stream.
    """

    data: bytes
    lines: int
    size: int
    first_size: int
    total_lines: int


def slice_lines(chunks: Iterable[bytes], *, offset: int, limit: int | None, keep: int) -> LineSlice:
    """Find lines in a stream and count the rest of it.

    Args:
        chunks: The stream.
        offset: Number of the first wanted line, from 1.
        limit: How many are wanted; ``None`` is all that follow.
        keep: How many of their bytes are kept.
    """
    wanted, whole = _Lines(keep), _Lines(0)
    for chunk in chunks:
        skip = offset - 1 - whole.newlines
        start = _past(chunk, skip) if skip > 0 else 0
        end = len(chunk) if limit is None else _past(chunk, limit - wanted.newlines, start)
        wanted.add(chunk[start:end])
        whole.add(chunk)
    return LineSlice(
        data=bytes(wanted.kept),
        lines=wanted.lines,
        size=wanted.size,
        first_size=wanted.first_size,
        total_lines=whole.lines,
    )


def _past(chunk: bytes, count: int, start: int = 0) -> int:
    """The offset after ``count`` newlines, or the end where there are fewer."""
    if chunk.count(b"\n", start) < count:
        return len(chunk)
    for _ in range(count):
        start = chunk.find(b"\n", start) + 1
    return start


class _Lines:
    """Counts what it is fed and keeps the beginning."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._open = False
        self.kept = bytearray()
        self.newlines = 0
        self.size = 0
        self.first_size = 0

    @property
    def lines(self) -> int:
        return self.newlines + self._open

    def add(self, part: bytes) -> None:
        if not part:
            return
        if not self.newlines:
            first = part.find(b"\n")
            self.first_size += first if first >= 0 else len(part)
        self.kept += part[: self._keep - len(self.kept)]
        self.newlines += part.count(b"\n")
        self.size += len(part)
        self._open = not part.endswith(b"\n")
