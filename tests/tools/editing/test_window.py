"""Editing no more of a file than the lines around the edits says what editing all of it says."""

import random
import re
import sys

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.editing._diff import TextDiff
from pihost.tools.editing._edit_match import find_regions
from pihost.tools.editing._normalized_view import normalized_view
from pihost.tools.editing._text_file import decode_text
from pihost.tools.editing._window import _LOOK_LIKE_ASCII, find_window
from pihost.tools.editing.apply_edits import Edit, EditError
from pihost.tools.editing.edit_bytes import edit_bytes

ALIKE = [
    "a",
    "b",
    "\uff41",
    "ﬁ",
    "fi",
    "“",
    '"',
    "—",
    "-",
    "é",
    "e\u0301",
    "\u00a0",
    " ",
    "\t",
    "\r",
    "\ufeff",
    "日",
    "\udcff",
]


def by_the_whole(data, edits):
    """The bytes and the diffs, or the error, as the whole text gives them."""
    file = decode_text(data)
    if file.bom:
        edits = [Edit(*(text.removeprefix("\ufeff") for text in attrs.astuple(edit))) for edit in edits]
    try:
        regions = find_regions(file.text, edits, "f")
    except EditError as error:
        return str(error)
    changes = TextDiff(file.text, regions)
    return file.replace(regions), changes.unified("f"), changes.display(), changes.first_changed_line


def by_edit_bytes(data, edits):
    try:
        result = edit_bytes(data, edits, path="f")
    except EditError as error:
        return str(error)
    return result.data, result.patch, result.diff, result.first_changed_line


@st.composite
def edited_files(draw):
    """Many lines that look alike, and edits of one or two stretches of them, some spelt by the view."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    alphabet = draw(st.lists(st.sampled_from(ALIKE), min_size=1, max_size=6))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n", "\n\n"]]))
    lines = [
        "".join(rng.choices(alphabet, k=rng.randint(0, 3)))
        + rng.choice(["", f"#{number % 70}"])
        + rng.choice(ends)
        for number in range(draw(st.integers(1, 80)))
    ]
    text = "".join(lines)[: draw(st.sampled_from([None, -1]))]
    edits = []
    for _ in range(draw(st.integers(1, 2))):
        start = rng.randrange(len(text) + 1)
        old = text[start : start + rng.randint(1, 20)].replace("\r\n", "\n")
        new = rng.choice(["", old, "new", "x\ny\n", old + "\n", "é" + old])
        edits.append(Edit(normalized_view(old) if rng.random() < 0.3 else old, new))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + text.encode("utf-8", "surrogateescape"), edits


@given(edited_files())
def test_it_gives_the_same_bytes_diffs_and_errors(case):
    data, edits = case
    assert by_edit_bytes(data, edits) == by_the_whole(data, edits)


def test_every_character_with_ascii_in_its_view_is_known_by_its_first_byte():
    chars = map(chr, (*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1)))
    others = [char for char in chars if char.encode()[0] not in _LOOK_LIKE_ASCII]
    assert len(others) > 100_000
    assert re.findall(r"[\x00-\x7f].", normalized_view("é".join(others))) == []


def numbered(line, count=1000):
    return "".join(line.format(number=f"{number:04}") for number in range(count))


@pytest.mark.parametrize(
    "line", ["line {number}\n", "line {number}\r\n", "línea {number}\n", "l — {number}\n"]
)
def test_a_few_lines_of_a_long_file_do(line):
    data = numbered(line).encode()
    begin, end = find_window(data, 0, ["0500"])
    assert data[begin:end].startswith(line.format(number="0492").encode())
    assert data[begin:end].count(b"\n") == 17


def test_a_place_that_only_looks_alike_takes_the_whole():
    data = (numbered("line {number}\n") + "find me\nﬁnd me\n").encode()
    assert find_window(data, 0, ["find me"]) is None
    assert find_window(data, 0, ["0501"]) is not None


def test_a_line_that_looks_alike_twice_takes_the_whole():
    data = (numbered("line {number}\n") + "find ﬁnd\n").encode()
    assert find_window(data, 0, ["find"]) is None


@pytest.mark.parametrize("old", ["line", "gone", "日", "  \n"])
def test_what_cannot_be_tied_to_one_place_takes_the_whole(old):
    data = (numbered("line {number}\n") + "日  \n").encode()
    assert find_window(data, 0, ["0500", old]) is None


def test_a_window_holds_all_edits():
    data = numbered("line {number}\n").encode()
    begin, end = find_window(data, 0, ["0700", "0300\nline"])
    assert b"line 0292\n" in data[begin:end]
    assert b"line 0708\n" in data[begin:end]
    assert (begin, end) != (0, len(data))
