"""One exact edit of a large file, beside reading it, replacing bytes and the same atomic write."""

import pytest

from pihost.tools.editing.apply_edits import Edit
from pihost.tools.editing.edit_bytes import edit_bytes
from pihost.tools.writing.atomic import replace_file

pytestmark = pytest.mark.bench

MB = 1_000_000
LINES = {
    "plain lines": "line {number:07} of a file that is mostly like the others\n",
    "trailing spaces": "line {number:07} of a file that is mostly like the others  \n",
    "CRLF": "line {number:07} of a file that is mostly like the others\r\n",
    "not ASCII": "línea {number:07} de un fichero que se parece a los demás\n",
}


@pytest.fixture
def large_file(tmp_path):
    """Write a file of a size, with the line in its middle that is edited back and forth."""

    def write(line, megabytes):
        count = megabytes * MB // len(line.format(number=0).encode())
        file = tmp_path / "large.txt"
        with file.open("w", newline="") as out:
            out.writelines(line.format(number=number) for number in range(count))
        return file, f"{count // 2:07}"

    return write


@pytest.mark.parametrize("megabytes", [1, 50])
@pytest.mark.parametrize("kind", LINES)
def test_one_exact_edit(side_by_side, large_file, kind, megabytes):
    """The goal is the same for every kind of line."""
    file, number = large_file(LINES[kind], megabytes)
    there = [number, "edited!"]

    def ours():
        old, new = there
        edited = edit_bytes(file.read_bytes(), [Edit(f" {old} ", f" {new} ")])
        replace_file(file, edited.data)
        assert edited.diff
        assert edited.patch
        there.reverse()

    def floor():
        old, new = (f" {part} ".encode() for part in there)
        replace_file(file, file.read_bytes().replace(old, new))
        there.reverse()

    ratio = side_by_side(f"edit, {megabytes} MB, {kind}", ours, floor, goal=2, repeat=5)
    assert ratio > 0
