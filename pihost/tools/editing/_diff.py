"""Show what regions change in a text, without comparing the whole of it."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pihost.tools.editing._lines import split_lines
from pihost.tools.editing._regions import Region, replace_regions

__all__ = ["TextDiff"]

_CONTEXT = 3
"""Unchanged lines shown around a change."""

_MOST_COMPARED = 1_000
"""Lines of one change that are compared with each other; comparing takes the square of it."""

_LONGEST_SHOWN = 500
"""Characters of a line in the display."""

_NO_NEWLINE = "\\ No newline at end of file"


class _Change(NamedTuple):
    """New lines for those from ``start`` to ``end`` of the old text; ``number`` of the first, from 0."""

    number: int
    start: int
    end: int
    old: list[str]
    new: list[str]


class _Row(NamedTuple):
    """One line of a diff: `` ``, ``-`` or ``+``, and its index from 0 in the old and in the new text."""

    sign: str
    old: int
    new: int
    line: str


class TextDiff:
    """The lines that regions change in a text, to be shown.

    Args:
        text: The old text.
        regions: What changes in it, in order.
        lines_before: How many lines the file has before the text, which then ends well after the regions.
    """

    def __init__(self, text: str, regions: Sequence[Region], *, lines_before: int = 0) -> None:
        self._text = text
        self._changes = tuple(_changes(text, regions, lines_before))

    @property
    def first_changed_line(self) -> int:
        """Number, from 1, of the first line that differs; it is the same in both texts."""
        return self._changes[0].number + 1

    def unified(self, path: str) -> str:
        """A unified diff with three lines of context.

        Args:
            path: Name of the file, for the header.

        Returns:
            The diff, ending in a newline. Bytes of the file that were no valid text show as U+FFFD.
        """
        parts = [f"--- {path}", f"+++ {path}"]
        for rows in _hunks(self._text, self._changes):
            before = sum(row.sign != "+" for row in rows)
            after = sum(row.sign != "-" for row in rows)
            parts.append(f"@@ -{_range(rows[0].old, before)} +{_range(rows[0].new, after)} @@")
            for row in rows:
                parts.append(row.sign + row.line.removesuffix("\n"))
                if not row.line.endswith("\n"):
                    parts.append(_NO_NEWLINE)
        return _printable("\n".join(parts) + "\n")

    def display(self) -> str:
        """Changed lines and some around them, each with its number.

        Returns:
            Lines like ``+12 text``, ``-12 text`` (the number is that in the old text) and `` 12 text``;
            ``...`` between places that are apart. Very long lines are cut.
        """
        hunks = list(_hunks(self._text, self._changes))
        width = len(str(max(hunks[-1][-1].old, hunks[-1][-1].new) + 1))
        blocks = ("\n".join(part for row in rows for part in _shown(row, width)) for rows in hunks)
        return _printable("\n...\n".join(blocks))


def _shown(row: _Row, width: int) -> Iterator[str]:
    number = (row.old if row.sign == "-" else row.new) + 1
    line = row.line.removesuffix("\n")
    if len(line) > _LONGEST_SHOWN:
        line = line[:_LONGEST_SHOWN] + "…"
    yield f"{row.sign}{number:>{width}} {line}"
    if row.sign != " " and not row.line.endswith("\n"):
        yield f"{row.sign}{'':>{width}} {_NO_NEWLINE}"


def _range(index: int, count: int) -> str:
    """A unified diff's range: the line before it when it is empty, and the count unless it is one."""
    start = index + 1 if count else index
    return f"{start}" if count == 1 else f"{start},{count}"


def _printable(text: str) -> str:
    """Without lone surrogates, which can be neither printed nor stored."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _hunks(text: str, changes: Sequence[_Change]) -> Iterator[list[_Row]]:
    """Changes with their context; those whose contexts would meet are one hunk."""
    grown = 0
    rows: list[_Row] = []
    done = 0
    for change in changes:
        if rows and text.count("\n", done, change.start) > 2 * _CONTEXT:
            yield rows + _context(_lines_after(text, done), rows)
            rows = []
        if rows:
            rows += _context(split_lines(text[done : change.start]), rows)
        else:
            before = _lines_before(text, change.start)
            first = change.number - len(before)
            rows = [_Row(" ", first + n, first + n + grown, line) for n, line in enumerate(before)]
        new_index = change.number + grown
        rows += [_Row("-", change.number + n, new_index, line) for n, line in enumerate(change.old)]
        index = change.number + len(change.old)
        rows += [_Row("+", index, new_index + n, line) for n, line in enumerate(change.new)]
        grown += len(change.new) - len(change.old)
        done = change.end
    yield rows + _context(_lines_after(text, done), rows)


def _context(lines: Sequence[str], rows: Sequence[_Row]) -> list[_Row]:
    """Unchanged lines that follow the rows."""
    last = rows[-1]
    old, new = last.old + (last.sign != "+"), last.new + (last.sign != "-")
    return [_Row(" ", old + n, new + n, line) for n, line in enumerate(lines)]


def _lines_before(text: str, offset: int) -> list[str]:
    start = offset
    for _ in range(_CONTEXT):
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
    return split_lines(text[start:offset])


def _lines_after(text: str, offset: int) -> list[str]:
    end = offset
    for _ in range(_CONTEXT):
        end = _next_line(text, end)
    return split_lines(text[offset:end])


def _changes(text: str, regions: Sequence[Region], index: int) -> Iterator[_Change]:
    """The regions as whole lines, as small as comparing these makes them; ``index`` is the text's first."""
    counted = 0
    for start, end, new in _whole_lines(text, regions):
        index += text.count("\n", counted, start)
        counted = start
        old_lines, new_lines = split_lines(text[start:end]), split_lines(new)
        for old_from, old_to, new_from, new_to in _compare(old_lines, new_lines):
            old = old_lines[old_from:old_to]
            begin = start + sum(map(len, old_lines[:old_from]))
            yield _Change(
                index + old_from, begin, begin + sum(map(len, old)), old, new_lines[new_from:new_to]
            )


def _compare(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where the lines differ, as index ranges of both."""
    if not old or not new or max(len(old), len(new)) > _MOST_COMPARED:
        yield 0, len(old), 0, len(new)
        return
    from difflib import SequenceMatcher

    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield old_from, old_to, new_from, new_to


def _whole_lines(text: str, regions: Sequence[Region]) -> Iterator[tuple[int, int, str]]:
    """Stretches that begin and end between lines in both texts: offsets in the old one, and the new text."""
    waiting = deque(regions)
    while waiting:
        start = end = text.rfind("\n", 0, waiting[0].start) + 1
        inside: list[Region] = []
        while True:
            while waiting and (not inside or waiting[0].start < end or end == len(text)):
                region = waiting.popleft()
                inside.append(Region(region.start - start, region.end - start, region.text))
                end = max(
                    end, region.end if _at_line_start(text, region.end) else _next_line(text, region.end)
                )
            new = replace_regions(text[start:end], inside)
            if not new or new.endswith("\n") or end == len(text):
                break
            end = _next_line(text, end)  # the new text has no end of line here: the next line joins it
        yield start, end, new


def _at_line_start(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] == "\n"


def _next_line(text: str, offset: int) -> int:
    return text.find("\n", offset) + 1 or len(text)
