"""Patches and displays made from regions, beside whole-text tools that know nothing of them."""

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pihost.tools.editing._diff import TextDiff
from pihost.tools.editing._regions import Region, replace_regions

UNENDED = "\\ No newline at end of file\n"
NUMBERS = "".join(f"{number}\n" for number in range(1, 31))


def unified_patch(text, regions, path):
    return TextDiff(text, regions).unified(path)


def display_diff(text, regions):
    return TextDiff(text, regions).display()


def region_of(text, old, new):
    start = text.index(old)
    return Region(start, start + len(old), new)


def apply_patch(text, patch):
    """Apply a unified diff strictly: every context line and range must be right."""
    old, new, position = text.split("\n"), [], 0
    lines = patch.split("\n")[2:-1]
    for number, line in enumerate(lines):
        if line.startswith("@@"):
            start, count = [*map(int, line.split()[1][1:].split(",")), 1][:2]
            begin = start - 1 if count else start
            new += old[position:begin]
            position = begin
        elif line.startswith("\\"):
            assert lines[number - 1][0] in "-+ "
        else:
            if line[0] in " -":
                assert old[position] == line[1:]
                position += 1
            if line[0] in " +":
                new.append(line[1:])
    return new + old[position:]


class TestPatch:
    def test_a_change_has_three_lines_around_it(self):
        assert unified_patch(NUMBERS, [region_of(NUMBERS, "10", "ten")], "f.txt") == (
            "--- f.txt\n+++ f.txt\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
        )

    def test_changes_near_each_other_are_one_hunk_and_others_two(self):
        near = [region_of(NUMBERS, "10\n", ""), region_of(NUMBERS, "17", "x")]
        far = [region_of(NUMBERS, "10\n", ""), region_of(NUMBERS, "18", "x")]
        assert unified_patch(NUMBERS, near, "f").count("@@ -") == 1
        assert unified_patch(NUMBERS, far, "f").count("@@ -") == 2

    def test_later_hunks_count_what_came_and_went_before(self):
        regions = [region_of(NUMBERS, "2\n", "2\nnew\nnew\n"), region_of(NUMBERS, "29\n", "")]
        assert "@@ -26,5 +28,4 @@\n" in unified_patch(NUMBERS, regions, "f")

    @pytest.mark.parametrize(
        ("text", "region", "body"),
        [
            ("", Region(0, 0, "a\n"), "@@ -0,0 +1 @@\n+a\n"),
            ("a\n", Region(0, 2, ""), "@@ -1 +0,0 @@\n-a\n"),
            (
                "a",
                Region(0, 1, "b"),
                f"@@ -1 +1 @@\n-a\n{UNENDED}+b\n{UNENDED}",
            ),
            ("a\nb", Region(2, 3, "b\n"), f"@@ -1,2 +1,2 @@\n a\n-b\n{UNENDED}+b\n"),
            ("a\nb\n", Region(3, 4, ""), f"@@ -1,2 +1,2 @@\n a\n-b\n+b\n{UNENDED}"),
            ("a\nb\nc\n", Region(0, 2, "x"), "@@ -1,3 +1,2 @@\n-a\n-b\n+xb\n c\n"),
        ],
    )
    def test_the_corners(self, text, region, body):
        assert unified_patch(text, [region], "f") == f"--- f\n+++ f\n{body}"

    def test_lines_that_stay_within_a_change_are_context(self):
        patch = unified_patch("a\nb\nc\n", [Region(0, 6, "A\nb\nC\n")], "f")
        assert patch.endswith("-a\n+A\n b\n-c\n+C\n")

    def test_a_huge_change_is_not_compared_line_by_line(self):
        old, new = "".join(f"a{n}\n" for n in range(5000)), "".join(f"b{n}\n" for n in range(5000))
        patch = unified_patch(old, [Region(0, len(old), new)], "f")
        assert patch.count("\n-a") == patch.count("\n+b") == 5000

    def test_bytes_that_are_no_text_can_be_shown(self):
        patch = unified_patch("\udcef a\n", [Region(2, 3, "b")], "f")
        assert patch.endswith("-\ufffd a\n+\ufffd b\n")


class TestDisplay:
    def test_every_line_has_its_number(self):
        text = "".join(f"{number}\n" for number in range(1, 13))
        assert display_diff(text, [region_of(text, "10\n", "ten\nX\n")]).split("\n") == [
            "  7 7", "  8 8", "  9 9", "-10 10", "+10 ten", "+11 X", " 12 11", " 13 12",
        ]  # fmt: skip

    def test_places_apart_are_marked(self):
        shown = display_diff(NUMBERS, [region_of(NUMBERS, "2\n", "x\n"), region_of(NUMBERS, "25", "y")])
        assert shown.split("\n")[5:9] == ["  5 5", "...", " 22 22", " 23 23"]

    def test_very_long_lines_are_cut(self):
        shown = display_diff("x" * 1_000_000, [Region(5, 6, "y")])
        assert len(shown) < 1200
        assert "…" in shown


class TestFirstChangedLine:
    @pytest.mark.parametrize(
        ("text", "region", "line"),
        [
            ("a\nb\nc\n", Region(2, 3, "B"), 2),
            ("a\nb\nc\n", Region(2, 3, "b\nnew"), 3),
            ("a\nb\nc\n", Region(0, 6, "a\nb\nC\n"), 3),
            ("a\nb\nc\n", Region(2, 4, ""), 2),
            ("a\nb", Region(3, 3, "\n"), 2),
            ("a\nb\n", Region(4, 4, "c\n"), 3),
            ("", Region(0, 0, "a"), 1),
        ],
    )
    def test_it_is_the_first_that_differs(self, text, region, line):
        assert TextDiff(text, [region]).first_changed_line == line


@st.composite
def changed_texts(draw):
    """A text and regions of it, anywhere in a line."""
    text = draw(st.text(alphabet="ab\n\n", max_size=60))
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    regions = [
        Region(start, end, draw(st.text(alphabet="ab\n", max_size=4)))
        for start, end in zip(bounds[::2], bounds[1::2], strict=False)
    ]
    return text, regions


@given(changed_texts())
def test_a_patch_turns_the_old_text_into_the_new(case):
    """Also where regions meet, share lines, or take line ends away."""
    text, regions = case
    new = replace_regions(text, regions)
    if new == text:
        return
    patch = unified_patch(text, regions, "f")
    applied = apply_patch(text, patch)
    while applied and applied[-1] == "":
        applied.pop()
    assert applied == new.rstrip("\n").split("\n")[: len(applied)]
    assert new.strip("\n").count("\n") <= len(applied)
    assert display_diff(text, regions)


@pytest.mark.skipif(shutil.which("patch") is None, reason="the program `patch` is not installed")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changed_texts())
def test_the_program_patch_agrees(tmp_path, case):
    text, regions = case
    new = replace_regions(text, regions)
    if new in {text, ""} or not text:  # it removes and makes files then
        return
    file = tmp_path / "f"
    file.write_text(text)
    patch = unified_patch(text, regions, "f").encode()
    subprocess.run(["patch", "-s", "--fuzz=0", file], input=patch, check=True)
    assert file.read_text() == new
