"""Find what edits replace: exactly where possible, else in the normalised view, widened to whole lines."""

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from pihost.tools._edit_types import LINES_NAMED, Edit, EditError
from pihost.tools.editing._closest import closest_place
from pihost.tools.editing._lines import line_number, line_starts, split_lines
from pihost.tools.editing._normalized_view import normalized_view
from pihost.tools.editing._regions import Region, replace_regions

__all__ = ["find_regions"]

_MOST_OCCURRENCES = 10_000
"""Where counting stops; the text says the same whether there are ten thousand or a million."""


def find_regions(text: str, edits: Sequence[Edit], path: str = "") -> tuple[Region, ...]:
    r"""Find the regions that the edits change, all of them in the original text.

    Lines that an edit mentions but leaves as they are, at the start and the end of its region, are no part
    of the result.

    Args:
        text: The text, with ``"\n"`` as line ending.
        edits: What to replace.
        path: The file's name, for errors.

    Returns:
        Regions in order, none touching what another one replaces; at least one.

    Raises:
        EditError: An edit cannot be made; the checks come in the order of the error codes' table.
    """
    edits = [Edit(_with_newlines(edit.old_text), _with_newlines(edit.new_text)) for edit in edits]
    only = len(edits) == 1
    for index, edit in enumerate(edits):
        if not edit.old_text:
            raise EditError("empty_old_text", path, None if only else index)
    search = _Search(text, path, edits)
    matches = [search.locate(edit, None if only else index) for index, edit in enumerate(edits)]
    base, exact = search.base, search.exact
    matches = _in_order(matches, base, path)
    regions = matches if exact else _widen(matches, base, text)
    changes = tuple(change for region in regions if (change := _trim(region, text)) is not None)
    if not _differ(text, changes):
        raise EditError("no_change", path)
    return changes


class _Search:
    """One text, its normalised view (made when needed), and where edits are in the one or the other."""

    def __init__(self, text: str, path: str, edits: Sequence[Edit]) -> None:
        self._text = text
        self._path = path
        self._exact = {edit.old_text: _find_all(text, edit.old_text) for edit in edits}
        self.exact = all(self._exact.values())

    @cached_property
    def view(self) -> str:
        return normalized_view(self._text)

    @property
    def base(self) -> str:
        """What is searched: the text if every edit is in it as it is, else its view."""
        return self._text if self.exact else self.view

    def locate(self, edit: Edit, index: int | None) -> Region:
        """The one place of an edit in `base`."""
        old = edit.old_text
        found = self._exact[old] if self.exact else _find_all(self.view, old)
        if not found and not self.exact:
            old = normalized_view(old)
            found = _find_all(self.view, old)
        if not found:
            raise self._not_found(edit.old_text, index)
        occurrences = self._occurrences(edit.old_text, found)
        if len(occurrences) > 1:
            lines = _first_lines(self.base, occurrences)
            raise EditError("not_unique", self._path, index, len(occurrences), lines)
        return Region(found[0], found[0] + len(old), edit.new_text)

    def _occurrences(self, old: str, found: list[int]) -> list[int]:
        """As found or as in the view, whichever are more: a composed letter hides one, a space another."""
        if self.exact and len(found) == 1 and _unique_in_any_view(self._text, old):
            return found
        return max(found, _find_all(self.view, normalized_view(old)), key=len)

    def _not_found(self, old: str, index: int | None) -> EditError:
        place = closest_place(self._text, old)
        if place is None:
            return EditError("not_found", self._path, index)
        return EditError("not_found", self._path, index, lines=(place[0],), similarity=place[1])


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _find_all(text: str, part: str) -> list[int]:
    """Where a part begins, places that overlap included."""
    found: list[int] = []
    start = text.find(part) if part else -1
    while start >= 0 and len(found) < _MOST_OCCURRENCES:
        found.append(start)
        start = text.find(part, start + 1)
    return found


def _first_lines(text: str, offsets: Sequence[int]) -> tuple[int, ...]:
    """Numbers of the first lines that hold one of the offsets, which are in order."""
    lines: list[int] = []
    number, counted = 1, 0
    for offset in offsets:
        number, counted = number + text.count("\n", counted, offset), offset
        if number not in lines:
            lines.append(number)
        if len(lines) == LINES_NAMED:
            break
    return tuple(lines)


def _unique_in_any_view(text: str, old: str) -> bool:
    """Whether a text that is there once is there once in the view too, where that is plain without making it.

    The view of an ASCII text only lacks the ends of some lines, so whatever is found in the view has its
    longest line in the text.
    """
    if not text.isascii():
        return False
    longest = max(normalized_view(old).split("\n"), key=len)
    return bool(longest) and (longest == old or text.find(longest, text.find(longest) + 1) < 0)


def _in_order(matches: list[Region], base: str, path: str) -> list[Region]:
    """Sorted by place, or the error that two of them overlap."""
    order = sorted(range(len(matches)), key=lambda index: matches[index].start)
    for first, second in itertools.pairwise(order):
        if matches[first].end > matches[second].start:
            lines = tuple(line_number(base, matches[index].start) for index in (first, second))
            raise EditError("overlap", path, second, lines=lines)
    return [matches[index] for index in order]


def _widen(matches: Sequence[Region], view: str, text: str) -> list[Region]:
    """Regions of the view as regions of whole lines of the text."""
    view_starts = [*line_starts(view), len(view)]
    text_starts = [*line_starts(text), len(text)]
    regions: list[Region] = []
    for first, last, group in _by_lines(matches, view_starts):
        begin, end = view_starts[first], view_starts[last + 1]
        inside = [Region(match.start - begin, match.end - begin, match.text) for match in group]
        new = replace_regions(view[begin:end], inside)
        regions.append(Region(text_starts[first], text_starts[last + 1], new))
    return regions


def _by_lines(matches: Sequence[Region], starts: list[int]) -> list[tuple[int, int, list[Region]]]:
    """First and last line index of each run of matches that have lines in common."""
    groups: list[tuple[int, int, list[Region]]] = []
    for match in matches:
        first = bisect_right(starts, match.start, hi=len(starts) - 1) - 1
        last = bisect_right(starts, match.end - 1, hi=len(starts) - 1) - 1
        if groups and groups[-1][1] >= first:
            begun, _, group = groups.pop()
            groups.append((begun, last, [*group, match]))
        else:
            groups.append((first, last, [match]))
    return groups


def _trim(region: Region, text: str) -> Region | None:
    """Without the whole lines that stay the same at both ends; ``None`` when nothing is left."""
    old, new = split_lines(text[region.start : region.end]), split_lines(region.text)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head == len(old) == len(new):
        return None
    start = region.start + sum(map(len, old[:head]))
    end = region.end - sum(map(len, old[len(old) - tail :]))
    return Region(start, end, "".join(new[head : len(new) - tail]))


def _differ(text: str, changes: Sequence[Region]) -> bool:
    """Several changes may make up for each other; only those of the same length are worth the comparison."""
    grown = sum(len(change.text) - (change.end - change.start) for change in changes)
    if grown or len(changes) <= 1:
        return bool(changes)
    return replace_regions(text, changes) != text
