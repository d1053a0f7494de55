"""Which file a tool's path argument means."""

import os
import unicodedata
from pathlib import Path

import pytest

from pihost.tools.tool_path import resolve_tool_path


@pytest.fixture
def home(tmp_path, monkeypatch):
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    return path


@pytest.fixture
def cwd(tmp_path, home):
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture(params=[True, False], ids=["read", "write"])
def for_read(request):
    return request.param


class TestExpansion:
    def test_a_relative_path_starts_in_the_working_directory(self, cwd, for_read):
        assert resolve_tool_path(cwd, "a/b.txt", for_read=for_read) == cwd / "a" / "b.txt"

    def test_an_absolute_path_stays(self, cwd, for_read):
        assert resolve_tool_path(cwd, "/a/b", for_read=for_read) == Path("/a/b")

    def test_parents_are_left_to_the_system(self, cwd, for_read):
        """What ``..`` means after a link only the system knows."""
        assert resolve_tool_path(cwd, "link/../b", for_read=for_read) == cwd / "link" / ".." / "b"

    @pytest.mark.parametrize(("text", "expected"), [("~", "."), ("~/a", "a"), ("@~/a", "a")])
    def test_a_tilde_is_the_home_directory(self, cwd, home, for_read, text, expected):
        assert resolve_tool_path(cwd, text, for_read=for_read) == home / expected

    @pytest.mark.parametrize("text", ["~tmp.txt", "~root/x", "a/~/b"])
    def test_any_other_tilde_is_part_of_a_name(self, cwd, for_read, text):
        assert resolve_tool_path(cwd, text, for_read=for_read) == cwd / text

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("@a.txt", "a.txt"), ("@@a.txt", "@a.txt"), ("a@b.txt", "a@b.txt"), ("@/a", "/a")],
    )
    def test_one_leading_at_is_dropped(self, cwd, for_read, text, expected):
        assert resolve_tool_path(cwd, text, for_read=for_read) == cwd / expected

    @pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u202f", "\u3000"])
    def test_unicode_spaces_are_spaces(self, cwd, for_read, space):
        assert resolve_tool_path(cwd, f"a{space}b", for_read=for_read) == cwd / "a b"


class TestLiteralNames:
    @pytest.mark.parametrize(
        "name",
        ["a b.txt", "[id]/route.py", "{x} y.md", "@home.txt", "~tmp.txt", "~/x", "a\u00a0b", "$HOME", "*"],
    )
    def test_a_file_of_that_name_wins_over_any_expansion(self, cwd, for_read, name):
        (cwd / name).parent.mkdir(parents=True, exist_ok=True)
        (cwd / name).touch()
        assert resolve_tool_path(cwd, name, for_read=for_read) == cwd / name

    @pytest.mark.parametrize(
        ("asked", "name"),
        [("@a\u00a0b", "a\u00a0b"), ("@a\u00a0b", "@a b"), ("@~tmp", "~tmp"), ("@~/x", "~/x")],
    )
    def test_it_wins_at_every_step(self, cwd, for_read, asked, name):
        (cwd / name).parent.mkdir(parents=True, exist_ok=True)
        (cwd / name).touch()
        assert resolve_tool_path(cwd, asked, for_read=for_read) == cwd / name

    def test_a_broken_link_is_a_file_of_that_name(self, cwd, for_read):
        (cwd / "@a").symlink_to("nowhere")
        assert resolve_tool_path(cwd, "@a", for_read=for_read) == cwd / "@a"


class TestSpellingsOfMacos:
    PLAIN = "Capture d'\u00e9cran 10.54 PM.png"

    @pytest.mark.parametrize(
        "name",
        [
            "Capture d\u2019e\u0301cran 10.54\u202fPM.png",
            "Capture d'e\u0301cran 10.54 PM.png",
            "Capture d'\u00e9cran 10.54\u202fPM.png",
            "Capture d\u2019\u00e9cran 10.54 PM.png",
        ],
        ids=ascii,
    )
    def test_they_are_found_by_plain_characters(self, cwd, name):
        (cwd / name).touch()
        assert os.fspath(resolve_tool_path(cwd, self.PLAIN, for_read=True)) == f"{cwd}/{name}"

    def test_an_exact_match_wins(self, cwd):
        for name in (self.PLAIN, "Capture d\u2019e\u0301cran 10.54\u202fPM.png"):
            (cwd / name).touch()
        assert os.fspath(resolve_tool_path(cwd, self.PLAIN, for_read=True)) == f"{cwd}/{self.PLAIN}"

    def test_writing_never_corrects_a_name(self, cwd):
        (cwd / "Capture d\u2019e\u0301cran 10.54\u202fPM.png").touch()
        assert os.fspath(resolve_tool_path(cwd, self.PLAIN, for_read=False)) == f"{cwd}/{self.PLAIN}"

    def test_each_part_is_spelt_on_its_own(self, cwd):
        """A composed directory may hold a decomposed file, and a curly one a straight one."""
        name = "Bob\u2019s \u00e9t\u00e9/it's e\u0301te\u0301"
        (cwd / name).parent.mkdir()
        (cwd / name).touch()
        asked = unicodedata.normalize("NFC", name.replace("\u2019", "'"))
        assert os.fspath(resolve_tool_path(cwd, asked, for_read=True)) == f"{cwd}/{name}"

    @pytest.mark.parametrize("mark", ["AM", "pm"])
    def test_the_space_before_the_mark_of_noon_is_narrow(self, cwd, mark):
        (cwd / f"at 9.00\u202f{mark}").touch()
        assert resolve_tool_path(cwd, f"at 9.00 {mark}", for_read=True) == cwd / f"at 9.00\u202f{mark}"

    def test_what_is_nowhere_stays_as_it_was_asked_for(self, cwd):
        assert resolve_tool_path(cwd, "it's/no where", for_read=True) == cwd / "it's" / "no where"

    def test_below_the_home_directory_too(self, cwd, home):
        (home / "it\u2019s").touch()
        assert resolve_tool_path(cwd, "~/it's", for_read=True) == home / "it\u2019s"
