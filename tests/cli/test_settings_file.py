"""Changing a settings file without losing anything of it."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.cli._settings_file import SettingsEditError, disable_in, enable_in

FULL = """# my settings

default_model = "big"   # the good one
disabled = [
    "first",  # it is noisy
]

[extension.guard]
read_only = ["*.lock"]
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "home" / "settings.toml"


def written(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    return file


def test_a_file_that_is_not_there_is_made(file):
    assert disable_in(file, "acme")
    assert tomllib.loads(file.read_text()) == {"disabled": ["acme"]}


def test_comments_and_everything_else_stay(file):
    written(file, FULL)
    assert disable_in(file, "acme")
    text = file.read_text()
    assert [line for line in FULL.splitlines() if "#" in line and line not in text] == []
    assert tomllib.loads(text) == {**tomllib.loads(FULL), "disabled": ["first", "acme"]}


def test_taking_it_out_again_gives_the_file_as_it_was(file):
    written(file, FULL)
    disable_in(file, "acme")
    assert enable_in(file, "acme")
    assert tomllib.loads(file.read_text()) == tomllib.loads(FULL)
    assert "# it is noisy" in file.read_text()


def test_the_key_is_set_before_the_tables_and_not_in_one(file):
    written(file, '[extension.guard]\nread_only = ["*.lock"]\n')
    disable_in(file, "acme")
    assert tomllib.loads(file.read_text())["disabled"] == ["acme"]


def test_ends_of_lines_stay_what_they_are(file):
    written(file, FULL.replace("\n", "\r\n"))
    disable_in(file, "acme")
    lines = file.read_bytes().split(b"\n")
    assert sum(line.endswith(b"\r") for line in lines) >= len(FULL.splitlines())


def test_names_compare_normalised(file):
    written(file, 'disabled = ["Acme_Mark"]\n')
    assert not disable_in(file, "acme-mark")
    assert enable_in(file, "ACME.mark")
    assert tomllib.loads(file.read_text()) == {"disabled": []}


def test_enabling_what_is_not_disabled_changes_nothing(file):
    written(file, FULL)
    assert not enable_in(file, "acme")
    assert file.read_text() == FULL


def test_enabling_makes_no_file(file):
    assert not enable_in(file, "acme")
    assert not file.exists()


@pytest.mark.parametrize("text", ["disabled = [", 'disabled = "acme"', "disabled = [1]", "\ufeff\x00"])
def test_a_file_that_is_wrong_is_not_touched(file, text):
    written(file, text)
    with pytest.raises(SettingsEditError, match="mend it first"):
        disable_in(file, "acme")
    assert file.read_bytes() == text.encode()


def test_a_file_that_is_not_utf8_is_not_touched(file):
    written(file, "").write_bytes(b"# caf\xe9\n")
    with pytest.raises(SettingsEditError):
        disable_in(file, "acme")
    assert file.read_bytes() == b"# caf\xe9\n"


@given(names=st.lists(st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True), unique=True, max_size=5))
def test_what_was_disabled_in_turn_is_disabled_in_that_order(tmp_path_factory, names):
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    file.write_text(FULL)
    for name in names:
        disable_in(file, name)
    expected = ["first", *(name for name in names if name != "first")]
    assert tomllib.loads(file.read_text()) == {**tomllib.loads(FULL), "disabled": expected}
