"""The lines of a file that edits concern, found in its bytes, so that no more of a large file is decoded."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pihost.tools.editing._normalized_view import normalized_view

__all__ = ["find_window"]

_MARGIN = 8
"""Lines on each side that go along: what a diff shows, and the ends of lines that new text may take over."""

_ASCII_OF_ONE_LINE = re.compile(r"[\x00-\x09\x0b-\x7f]+")

_LOOK_LIKE_ASCII = b"\xc2\xc4\xc5\xc7\xca\xcb\xcd\xce\xe1\xe2\xe3\xea\xef\xf0"
"""The bytes that every character begins with that has ASCII in its view. The accented letters of Western
Europe, Cyrillic, Hebrew, Arabic, the scripts of India, ideographs and Hangul do without."""
_ALL_OTHERS = bytes(set(range(0x100)).difference(_LOOK_LIKE_ASCII))


class _Anchor(NamedTuple):
    """A part of an old text that is in its view too, and how many lines of the old text surround its own."""

    text: str
    before: int
    after: int


def find_window(data: bytes, start: int, wanted: Sequence[str]) -> tuple[int, int] | None:
    r"""Find whole lines that hold every place where old texts can be, in the text and in its view.

    Each old text has a part in ASCII that is there only once, as it is and in the view of those lines in
    which other characters may look like it. So the window says all that the whole text says of an edit that
    is found in it exactly.

    Args:
        data: A file in UTF-8.
        start: Where its text begins.
        wanted: The old texts, with ``"\n"`` as line ending.

    Returns:
        Where the window begins and ends; ``None`` where only the whole text can tell.
    """
    anchors = [anchor for old in wanted if (anchor := _anchor(old)) is not None]
    if len(anchors) < len(wanted):
        return None
    begin, end, others = len(data), start, _view_of_others(data, start)
    for anchor in anchors:
        place = _only_place(data, anchor.text.encode(), start)
        if place is None or not _is_unique_in_view(data, place, anchor.text, others):
            return None
        begin = min(begin, _lines_back(data, place, anchor.before + _MARGIN, start))
        end = max(end, _lines_on(data, place, anchor.after + _MARGIN))
    return begin, end


def _anchor(old: str) -> _Anchor | None:
    longest = max(_ASCII_OF_ONE_LINE.findall(normalized_view(old)), key=len, default="")
    place = old.find(longest)
    if not longest or place < 0:
        return None
    return _Anchor(longest, old.count("\n", 0, place), old.count("\n", place))


def _view_of_others(data: bytes, start: int) -> str:
    """The view of all lines that are not ASCII, if they may look like it; a byte order mark is no reason."""
    if data.isascii() or not data.translate(None, _ALL_OTHERS)[start > 0 :]:
        return ""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    return normalized_view(b"\n".join(lines).decode("utf-8", "surrogateescape"))


def _only_place(data: bytes, part: bytes, start: int) -> int | None:
    place = data.find(part, start)
    return place if place >= 0 and data.find(part, place + 1) < 0 else None


def _is_unique_in_view(data: bytes, place: int, anchor: str, others: str) -> bool:
    """Whether an anchor is not in the view of the other lines, or only where it was found as it is."""
    found = others.find(anchor)
    if found < 0:
        return True
    line = data[data.rfind(b"\n", 0, place) + 1 : _lines_on(data, place, 0)]
    return not line.isascii() and others.find(anchor, found + 1) < 0


def _lines_back(data: bytes, place: int, lines: int, start: int) -> int:
    """Where the line begins that is so many before a place's own."""
    for _ in range(lines + 1):
        newline = data.rfind(b"\n", start, place)
        if newline < 0:
            return start
        place = newline
    return place + 1


def _lines_on(data: bytes, place: int, lines: int) -> int:
    """Where the line ends that is so many after a place's own."""
    for _ in range(lines + 1):
        place = data.find(b"\n", place) + 1
        if not place:
            return len(data)
    return place
