"""Cutting text to a number of lines and UTF-8 bytes, and saying what was cut.

A line ends at a line feed and nowhere else; a final line feed opens no further line. Sizes are UTF-8 bytes. A
lone surrogate counts three of them and comes out as U+FFFD, which has three as well.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import attrs

from pihost._values import Value
from pihost.tools.outputs._utf8 import Extent, chars_from_end, chars_from_start, measure, nth_newline

__all__ = [
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_LINES",
    "GREP_MAX_LINE_LENGTH",
    "MiddleTruncation",
    "TruncatedBy",
    "TruncationResult",
    "format_size",
    "truncate_head",
    "truncate_line",
    "truncate_middle",
    "truncate_tail",
]

DEFAULT_MAX_LINES: Final = 2000
"""Most lines of a tool's output that are shown."""

DEFAULT_MAX_BYTES: Final = 50 * 1024
"""Most UTF-8 bytes of a tool's output that are shown."""

GREP_MAX_LINE_LENGTH: Final = 500
"""Most characters of a matching line that grep shows."""

TruncatedBy = Literal["lines", "bytes"]
"""The limit that cut a text."""

_LINE_CUT: Final = "... [truncated]"
_KIB: Final = 1024
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TruncationResult(Value):
    """What is shown of a text, and how it relates to the whole.

    Attributes:
        content: The part that is shown; without a final newline if anything was cut.
        truncated: Whether the whole text was over a limit.
        truncated_by: The limit that cut, or ``None`` if nothing was cut.
        total_lines: Lines of the whole text.
        total_bytes: UTF-8 bytes of the whole text.
        output_lines: Lines of ``content``.
        output_bytes: UTF-8 bytes of ``content``.
        last_line_partial: Whether ``content`` is only the end of a last line that alone was over
            ``max_bytes``.
        first_line_exceeds_limit: Whether ``content`` is empty because the first line alone was over
            ``max_bytes``.
        max_lines: The limit of lines that applied.
        max_bytes: The limit of UTF-8 bytes that applied.
    """

    content: str
    truncated: bool
    truncated_by: TruncatedBy | None
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    last_line_partial: bool
    first_line_exceeds_limit: bool
    max_lines: int
    max_bytes: int


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MiddleTruncation(Value):
    """A text whose middle may have been left out.

    Attributes:
        content: Both ends around a mark with the number of characters left out, or the whole text.
        truncated: Whether anything was left out.
        removed_chars: Code points left out.
        total_bytes: UTF-8 bytes of the whole text.
        total_lines: Lines of the whole text.
    """

    content: str
    truncated: bool
    removed_chars: int
    total_bytes: int
    total_lines: int


def truncate_head(
    content: str, *, max_lines: int = DEFAULT_MAX_LINES, max_bytes: int = DEFAULT_MAX_BYTES
) -> TruncationResult:
    """Keep whole lines from the start, as many as both limits allow.

    Args:
        content: The text.
        max_lines: Most lines to keep.
        max_bytes: Most UTF-8 bytes to keep, the newlines between the kept lines included.

    Returns:
        The kept lines, never a part of one. If the first line alone is over ``max_bytes``, nothing is kept
        and ``first_line_exceeds_limit`` is set.

    Raises:
        ValueError: A limit is negative.
    """
    cut = _Cut.of(content, max_lines, max_bytes)
    if cut.fits:
        return cut.whole()
    end = cut.body_end
    if cut.extent.size > max_bytes:
        # The newline may stand right behind the last byte that fits: it is not kept.
        end = content.rfind("\n", 0, chars_from_start(content, max_bytes) + 1)
        if end == -1:
            return cut.nothing()
    lines = cut.count_lines(0, end)
    by: TruncatedBy = "bytes" if lines < max_lines and end < cut.body_end else "lines"
    if lines > max_lines:
        end = nth_newline(content, max_lines, 0, end) if max_lines else 0
    return cut.part(0, end, lines=min(lines, max_lines), by=by)


def truncate_tail(
    content: str, *, max_lines: int = DEFAULT_MAX_LINES, max_bytes: int = DEFAULT_MAX_BYTES
) -> TruncationResult:
    """Keep whole lines from the end, as many as both limits allow.

    Args:
        content: The text.
        max_lines: Most lines to keep.
        max_bytes: Most UTF-8 bytes to keep, the newlines between the kept lines included.

    Returns:
        The kept lines. If the last line alone is over ``max_bytes``, its last ``max_bytes`` bytes from a
        character boundary on are kept and ``last_line_partial`` is set.

    Raises:
        ValueError: A limit is negative.
    """
    cut = _Cut.of(content, max_lines, max_bytes)
    if cut.fits:
        return cut.whole()
    end = cut.body_end
    if not max_lines:
        return cut.part(end, end, lines=0, by="lines")
    start = end - chars_from_end(content, end, max_bytes)
    if start > 0:
        newline = content.find("\n", start - 1, end)
        if newline == -1:
            by: TruncatedBy = "bytes" if max_lines > 1 else "lines"
            return cut.part(start, end, lines=1, by=by, last_line_partial=True)
        start = newline + 1
    lines = cut.count_lines(start, end)
    by = "bytes" if lines < max_lines and start > 0 else "lines"
    if lines > max_lines:
        start = nth_newline(content, lines - max_lines, start, end) + 1
    return cut.part(start, end, lines=min(lines, max_lines), by=by)


def truncate_middle(content: str, max_bytes: int) -> MiddleTruncation:
    """Keep both ends of a text and say how many characters between them were left out.

    Args:
        content: The text.
        max_bytes: Most UTF-8 bytes to keep; half of them from the start, the rest from the end. The mark
            between them comes on top.

    Returns:
        The first ``max_bytes // 2`` and the last ``max_bytes - max_bytes // 2`` bytes, drawn in to character
        boundaries, around ``…{n} chars truncated…``; or the whole text if it has at most ``max_bytes``.

    Raises:
        ValueError: ``max_bytes`` is negative.
    """
    require_limit("max_bytes", max_bytes)
    extent = measure(content)
    removed, shown = 0, content
    if extent.size > max_bytes:
        head = chars_from_start(content, max_bytes // 2)
        tail = len(content) - chars_from_end(content, len(content), max_bytes - max_bytes // 2)
        removed = tail - head
        shown = f"{content[:head]}…{removed} chars truncated…{content[tail:]}"
    return MiddleTruncation(
        content=_well_formed(shown, extent),
        truncated=extent.size > max_bytes,
        removed_chars=removed,
        total_bytes=extent.size,
        total_lines=extent.lines,
    )


def truncate_line(line: str, max_chars: int = GREP_MAX_LINE_LENGTH) -> tuple[str, bool]:
    """Cut one line to a number of characters.

    Args:
        line: The line.
        max_chars: Most code points to keep; the mark of a cut comes on top.

    Returns:
        The line, ending in ``... [truncated]`` if it was cut, and whether it was.

    Raises:
        ValueError: ``max_chars`` is negative.
    """
    require_limit("max_chars", max_chars)
    kept = _SURROGATE.sub("\ufffd", line[:max_chars])
    return (kept, False) if len(line) <= max_chars else (kept + _LINE_CUT, True)


def format_size(n: int) -> str:
    """Write a number of bytes for people: ``512B``, ``1.3KB``, ``3072.0MB``.

    Args:
        n: Bytes.

    Returns:
        Whole bytes below 1024, else kibibytes or mebibytes with one decimal, halves rounded up.

    Raises:
        ValueError: ``n`` is negative.
    """
    require_limit("n", n)
    if n < _KIB:
        return f"{n}B"
    unit, name = (_KIB, "KB") if n < _KIB * _KIB else (_KIB * _KIB, "MB")
    tenths = (n * 20 + unit) // (unit * 2)
    return f"{tenths // 10}.{tenths % 10}{name}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Cut:
    """A text to be cut, its extent and the limits; makes the result from the positions of a cut."""

    content: str
    extent: Extent
    max_lines: int
    max_bytes: int

    @classmethod
    def of(cls, content: str, max_lines: int, max_bytes: int) -> _Cut:
        require_limit("max_lines", max_lines)
        require_limit("max_bytes", max_bytes)
        return cls(content=content, extent=measure(content), max_lines=max_lines, max_bytes=max_bytes)

    @property
    def fits(self) -> bool:
        return self.extent.lines <= self.max_lines and self.extent.size <= self.max_bytes

    @property
    def body_end(self) -> int:
        """The end of the last line, before its newline."""
        return len(self.content) - self.content.endswith("\n")

    def count_lines(self, start: int, end: int) -> int:
        """Count the lines between two positions that are a start and an end of a line."""
        if start == 0 and end == self.body_end:
            return self.extent.lines
        return self.content.count("\n", start, end) + 1

    def whole(self) -> TruncationResult:
        """Make the result for a text within both limits."""
        return self._result(self.content, self.extent.size, lines=self.extent.lines, by=None)

    def part(
        self, start: int, end: int, *, lines: int, by: TruncatedBy, last_line_partial: bool = False
    ) -> TruncationResult:
        """Make the result for the text between two positions, of which the caller knows the lines."""
        kept = self.content[start:end]
        size = len(kept) if kept.isascii() else measure(kept).size
        result = self._result(kept, size, lines=lines, by=by)
        return attrs.evolve(result, last_line_partial=True) if last_line_partial else result

    def nothing(self) -> TruncationResult:
        """Make the result for a text whose first line alone is over the limit of bytes."""
        return attrs.evolve(self._result("", 0, lines=0, by="bytes"), first_line_exceeds_limit=True)

    def _result(self, kept: str, size: int, *, lines: int, by: TruncatedBy | None) -> TruncationResult:
        return TruncationResult(
            content=_well_formed(kept, self.extent),
            truncated=by is not None,
            truncated_by=by,
            total_lines=self.extent.lines,
            total_bytes=self.extent.size,
            output_lines=lines,
            output_bytes=size,
            last_line_partial=False,
            first_line_exceeds_limit=False,
            max_lines=self.max_lines,
            max_bytes=self.max_bytes,
        )


def _well_formed(text: str, extent: Extent) -> str:
    return _SURROGATE.sub("\ufffd", text) if extent.has_surrogates else text


def require_limit(name: str, value: int) -> None:
    if value < 0:
        raise ValueError(f"{name} is {value}; it must be 0 or more")
