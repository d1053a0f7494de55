"""What a killed writer left beside a file, and what the next write of that file does about it."""

import os
import time
from pathlib import Path

import pytest

from pihost.tools.writing._temporary import open_temporary
from pihost.tools.writing.atomic import replace_file


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    return path


def leave(file, *, age, content=b"half"):
    """Leave a temporary file as a killed writer does, some seconds ago."""
    descriptor, path = open_temporary(str(file), 0o600)
    os.write(descriptor, content)
    os.close(descriptor)
    os.utime(path, (time.time() - age,) * 2)
    return Path(path)


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_the_name_is_hidden_and_the_same_for_every_write_of_a_file(file):
    first = leave(file, age=0)
    first.unlink()
    assert leave(file, age=0) == first
    assert first.name.startswith(".pihost-")


def test_what_was_abandoned_is_removed_by_the_next_write(file):
    for _ in range(3):
        leave(file, age=0)
    for name in names(file.parent):
        if name != "f":
            os.utime(file.parent / name, (0, 0))
    replace_file(file, b"new")
    assert (names(file.parent), file.read_bytes()) == (["f"], b"new")


def test_what_somebody_may_still_be_writing_stays(file):
    """Two hosts without locks may write one file at once; neither takes the other's file away."""
    other = leave(file, age=5)
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert names(file.parent) == sorted(["f", other.name])


def test_files_of_other_files_stay(file):
    other = leave(file.parent / "g", age=1000)
    leave(file, age=1000)
    replace_file(file, b"new")
    assert names(file.parent) == sorted(["f", other.name])


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_something_else_of_that_name_is_left_alone(file, kind):
    place = leave(file, age=1000)
    place.unlink()
    place.symlink_to(file) if kind == "link" else place.mkdir()
    os.utime(place, (0, 0), follow_symlinks=False)
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert names(file.parent) == sorted(["f", place.name])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_file_of_that_name_is_left_alone(file):
    place = leave(file, age=1000)
    os.chown(place, 12345, 12345)
    os.utime(place, (0, 0))
    replace_file(file, b"new")
    assert place.exists()


def test_a_name_as_long_as_names_can_be_has_one_too(tmp_path):
    replace_file(tmp_path / ("x" * 255), b"new")
    assert names(tmp_path) == ["x" * 255]
