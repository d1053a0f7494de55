"""The file for a full output: whose it is, where it goes, what is tidied up, and how it fails."""

import os
import pickle
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pihost.errors import PihostError
from pihost.tools.outputs._spill import OutputSpillError, SpillFile

posix = pytest.mark.skipif(os.name != "posix", reason="modes, owners and limits are POSIX")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """A temporary directory of its own for each test."""
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.fixture
def user_directory(temporary):
    """Where files go: learnt from a first file, then removed."""
    spill = SpillFile("probe", None)
    spill.discard()
    spill.path.parent.rmdir()
    return spill.path.parent


def make(prefix="out", fallback=None):
    spill = SpillFile(prefix, fallback)
    spill.close()
    return spill.path


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_file_and_directory_are_the_users_alone():
    old = os.umask(0)
    try:
        path = make()
    finally:
        os.umask(old)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert path.name.startswith("out-")


def test_the_file_has_what_was_written_at_once():
    spill = SpillFile("out", None)
    spill.write(b"one")
    spill.write(bytearray(b" two"))
    assert spill.path.read_bytes() == b"one two"
    spill.verify()
    spill.close()
    spill.verify()
    assert spill.path.read_bytes() == b"one two"


def test_every_file_is_new():
    assert make() != make()


@posix
def test_an_open_directory_of_the_user_is_closed_to_others(user_directory):
    user_directory.mkdir()
    user_directory.chmod(0o755)
    assert mode(make().parent) == 0o700


def test_planted_symlink_is_refused(user_directory, tmp_path):
    """Nothing is written where somebody's symlink leads."""
    target = tmp_path / "target"
    target.mkdir()
    user_directory.symlink_to(target)
    with pytest.raises(OutputSpillError, match="is a symlink") as caught:
        make()
    assert caught.value.path == user_directory
    assert list(target.iterdir()) == []


def test_a_file_in_place_of_the_directory_is_refused(user_directory):
    user_directory.write_text("")
    with pytest.raises(OutputSpillError, match="is a symlink or no directory"):
        make()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a directory away"
)
def test_a_directory_of_somebody_else_is_refused(user_directory):
    user_directory.mkdir(0o700)
    os.chown(user_directory, 12345, 12345)
    with pytest.raises(OutputSpillError, match="belongs to another user"):
        make()


@posix
def test_a_refused_directory_falls_back(user_directory, tmp_path):
    user_directory.symlink_to(tmp_path)
    path = make(fallback=tmp_path / "home" / "output")
    assert path.parent == tmp_path / "home" / "output"
    assert [mode(path), mode(path.parent), mode(path.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_vanished_temporary_directory_falls_back(temporary, tmp_path):
    temporary.rmdir()
    assert make(fallback=tmp_path / "output").parent == tmp_path / "output"
    assert not list(tmp_path.glob("tmp/pihost*/*"))


def test_both_directories_refused_is_one_error_that_names_both(user_directory, tmp_path):
    user_directory.write_text("")
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OutputSpillError) as caught:
        make(fallback=blocked / "output")
    assert "file" in str(caught.value)
    assert str(user_directory) in str(caught.value)


def test_files_older_than_seven_days_are_removed():
    now = time.time()
    ages = {"old.log": 7 * 86400 + 60, "young.log": 7 * 86400 - 60}
    directory = make().parent
    for name, age in ages.items():
        (directory / name).write_text("x")
        os.utime(directory / name, (now - age, now - age))
    make()
    assert not (directory / "old.log").exists()
    assert (directory / "young.log").exists()


def test_tidying_up_touches_only_regular_files(tmp_path):
    directory = make().parent
    kept = tmp_path / "kept"
    kept.write_text("x")
    (directory / "link").symlink_to(kept)
    (directory / "folder").mkdir()
    for name in ("link", "folder"):
        os.utime(directory / name, (0, 0), follow_symlinks=False)
    make()
    assert kept.exists()
    assert {"link", "folder"} <= {entry.name for entry in directory.iterdir()}


def test_a_removed_file_is_noticed():
    spill = SpillFile("out", None)
    spill.path.unlink()
    with pytest.raises(OutputSpillError, match="No such file"):
        spill.verify()
    spill.discard()


def test_a_replaced_file_is_noticed():
    spill = SpillFile("out", None)
    spill.path.rename(spill.path.with_suffix(".moved"))
    spill.path.write_text("forged")
    with pytest.raises(OutputSpillError, match="another file was put in its place"):
        spill.verify()
    spill.discard()


@posix
def test_a_late_failure_to_close_is_reported():
    spill = SpillFile("out", None)
    os.close(spill._file.fileno())
    with pytest.raises(OutputSpillError, match="Bad file descriptor"):
        spill.close()


def test_discard_leaves_nothing_and_can_be_repeated():
    spill = SpillFile("out", None)
    spill.discard()
    spill.discard()
    assert list(spill.path.parent.iterdir()) == []


@posix
def test_a_full_disk_is_an_error():
    """With a limit on the size of files, the write fails as it does on a full disk."""
    code = """
import resource, sys
from pihost.tools.outputs._spill import OutputSpillError, SpillFile
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
spill = SpillFile("out", None)
spill.write(b"x" * 900)
try:
    spill.write(b"y" * 900)
except OutputSpillError as error:
    print(error.path == spill.path, error.reason)
spill.discard()
"""
    done = run(code)
    assert done.stdout == "True File too large\n"


def run(code):
    environment = {**os.environ, "TMPDIR": tempfile.gettempdir(), "PYTHONPATH": str(Path.cwd())}
    argv = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(argv, capture_output=True, text=True, check=True, env=environment)


def test_the_error_can_be_pickled_and_says_where_and_why():
    error = OutputSpillError(Path("/somewhere/file.log"), "No space left on device")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, PihostError)
    assert (again.path, again.reason) == (error.path, error.reason)
    assert str(again) == f"The full output was lost: {error.path}: No space left on device"
    assert str(OutputSpillError(None, "why")) == "The full output was lost: why"
