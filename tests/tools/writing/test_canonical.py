"""Canonical paths, beside the standard library's strict resolution."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.writing._canonical import resolve_strict


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Directories, files and every kind of link, below one root."""
    root = tmp_path_factory.mktemp("tree").resolve()
    (root / "d" / "e").mkdir(parents=True)
    (root / "f").write_text("f")
    (root / "d" / "g").write_text("g")
    for link, target in {
        "to_d": "d",
        "d/up": "..",
        "d/e/to_f": "../../f",
        "absolute": str(root / "d" / "e"),
        "twice": "to_d/up/absolute",
        "dangling": "d/missing/x",
    }.items():
        (root / link).symlink_to(target)
    return root


NAMES = ["d", "e", "f", "g", "to_d", "up", "to_f", "absolute", "twice", "..", ".", ""]


@given(parts=st.lists(st.sampled_from(NAMES), min_size=1, max_size=7))
def test_what_exists_resolves_as_the_standard_library_says(tree, parts):
    path = "/".join([str(tree), *parts])
    try:
        expected = os.path.realpath(path, strict=True)
        status = Path(path).stat()
    except OSError:
        return
    resolved, found = resolve_strict(path)
    assert resolved == expected
    assert found is None or (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino)


def test_a_file_comes_with_its_status(tree):
    resolved, status = resolve_strict(tree / "d" / "e" / "to_f")
    assert resolved == str(tree / "f")
    assert status.st_ino == (tree / "f").stat().st_ino


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("new", "new"),
        ("to_d/new/deep", "d/new/deep"),
        ("d/up/d/new", "d/new"),
        ("dangling", "d/missing/x"),
        ("dangling/y", "d/missing/x/y"),
        ("missing/../to_d", "d"),
    ],
)
def test_what_does_not_exist_is_named_below_what_does(tree, path, expected):
    assert resolve_strict(tree / path)[0] == str(tree / expected)


def test_a_relative_path_starts_in_the_working_directory(tree, monkeypatch):
    monkeypatch.chdir(tree / "to_d")
    assert resolve_strict("e/to_f")[0] == str(tree / "f")
    assert resolve_strict("../f")[0] == str(tree / "f")


@pytest.mark.parametrize("path", ["/", "//", "/..", "/."])
def test_the_root_is_itself(path):
    assert resolve_strict(path)[0] == "/"


def test_the_root_as_working_directory(monkeypatch):
    monkeypatch.chdir("/")
    assert resolve_strict("nowhere")[0] == "/nowhere"


@pytest.mark.parametrize("below", ["", "/x"])
def test_a_loop_is_an_error(tmp_path, below):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=str(tmp_path)) as caught:
        resolve_strict(f"{tmp_path}/a{below}")
    assert caught.value.errno == errno.ELOOP


def test_a_long_chain_of_links_is_no_loop(tmp_path):
    (tmp_path / "0").touch()
    for number in range(1, 31):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    assert resolve_strict(tmp_path / "30")[0] == str(tmp_path.resolve() / "0")


def test_a_path_through_a_file_is_an_error(tree):
    with pytest.raises(NotADirectoryError):
        resolve_strict(tree / "f" / "x")


def test_a_forbidden_directory_is_an_error(tmp_path):
    (tmp_path / "shut").mkdir(mode=0)
    before = os.geteuid()
    if before == 0:  # nothing is forbidden to root
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError):
            resolve_strict(tmp_path / "shut" / "x")
    finally:
        os.seteuid(before)
