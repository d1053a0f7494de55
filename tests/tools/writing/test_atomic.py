"""Replacing a file's content: what is kept, what is written in place, and what an error or a kill leaves."""

import errno
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.writing import atomic
from pihost.tools.writing.atomic import replace_file

NOBODY = 65534
SHARED_TEMPORARY = tempfile.gettempdir()

LIMITED = """
import resource, sys
from pihost.tools.writing.atomic import replace_file
path, limit, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    replace_file(path, b"n" * size)
except OSError as error:
    print(error.errno)
"""

WRITE_FOR_EVER = """
import sys
from pihost.tools.writing.atomic import replace_file
sizes = [70_000, 3, 200_000]
print("started", flush=True)
number = 0
while True:
    number += 1
    replace_file(sys.argv[1], bytes([97 + number % 26]) * sizes[number % 3])
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f.txt"
    path.write_bytes(b"old content")
    return path


@contextmanager
def as_nobody():
    """Permission bits bind everybody but root."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.fixture
def open_dir():
    """A directory that nobody in particular may write, outside pytest's private ones."""
    with tempfile.TemporaryDirectory(dir=SHARED_TEMPORARY) as name:
        path = Path(name)
        path.chmod(0o777)
        yield path
        path.chmod(0o700)


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestWriting:
    @given(old=st.binary(max_size=60), new=st.binary(max_size=60), linked=st.booleans())
    def test_the_file_holds_exactly_the_bytes_given(self, old, new, linked):
        with tempfile.TemporaryDirectory(dir=SHARED_TEMPORARY) as name:
            path = Path(name, "f")
            path.write_bytes(old)
            if linked:
                os.link(path, Path(name, "g"))
            replace_file(path, new)
            assert path.read_bytes() == new
            assert names(Path(name)) == (["f", "g"] if linked else ["f"])

    def test_a_new_file_gets_the_mode_of_the_umask(self, tmp_path):
        previous = os.umask(0o027)
        try:
            replace_file(tmp_path / "new", b"data")
        finally:
            os.umask(previous)
        assert (tmp_path / "new").read_bytes() == b"data"
        assert mode_of(tmp_path / "new") == 0o640

    def test_a_file_is_replaced_and_not_written_over(self, file):
        """Who has the old one open goes on reading the old content."""
        with file.open("rb") as reader:
            replace_file(file, b"new")
            assert reader.read() == b"old content"
        assert names(file.parent) == ["f.txt"]

    @pytest.mark.parametrize("mode", [0o600, 0o664, 0o755, 0o4755])
    def test_the_mode_is_kept(self, file, mode):
        file.chmod(mode)
        replace_file(file, b"new")
        assert mode_of(file) == mode

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_the_owner_is_kept_where_allowed(self, file):
        os.chown(file, 12345, 23456)
        file.chmod(0o6755)
        replace_file(file, b"new")
        status = file.stat()
        assert (status.st_uid, status.st_gid, mode_of(file)) == (12345, 23456, 0o6755)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_where_the_owner_cannot_be_kept_nothing_acts_for_the_new_one(self, open_dir):
        path = open_dir / "f"
        path.write_bytes(b"old")
        path.chmod(0o6777)
        with as_nobody():
            replace_file(path, b"new")
        assert path.read_bytes() == b"new"
        assert (path.stat().st_uid, mode_of(path)) == (NOBODY, 0o777)

    @pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are read on Linux only")
    def test_extended_attributes_are_kept(self, file):
        try:
            os.setxattr(file, "user.note", b"kept")
        except OSError as error:
            pytest.skip(f"this file system has none: {error}")
        replace_file(file, b"new")
        assert os.getxattr(file, "user.note") == b"kept"

    def test_a_name_as_long_as_names_can_be_is_no_problem(self, tmp_path):
        path = tmp_path / ("n" * 255)
        replace_file(path, b"one")
        replace_file(path, b"two")
        assert path.read_bytes() == b"two"


class TestLinks:
    def test_a_symbolic_link_is_written_through(self, file):
        link = file.parent / "link"
        link.symlink_to("f.txt")
        replace_file(link, b"new")
        assert link.is_symlink()
        assert file.read_bytes() == b"new"

    def test_a_dangling_link_makes_the_file_it_names(self, tmp_path):
        (tmp_path / "link").symlink_to("made")
        replace_file(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "made").read_bytes() == b"new"

    def test_hard_links_stay_together(self, file):
        other = file.parent / "other"
        os.link(file, other)
        replace_file(file, b"short")
        assert other.read_bytes() == b"short"
        replace_file(other, b"a longer content than before")
        assert file.read_bytes() == b"a longer content than before"
        assert file.samefile(other)

    def test_a_loop_of_links_is_an_error(self, tmp_path):
        (tmp_path / "a").symlink_to("a")
        with pytest.raises(OSError, match="symbolic links"):
            replace_file(tmp_path / "a", b"new")


class TestInPlace:
    def test_a_file_in_a_directory_that_may_not_be_written(self, open_dir):
        path = open_dir / "f"
        path.write_bytes(b"old content")
        path.chmod(0o666)
        open_dir.chmod(0o555)
        with as_nobody():
            replace_file(path, b"new")
        assert path.read_bytes() == b"new"

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs two users")
    def test_a_file_of_somebody_else_in_a_sticky_directory(self, open_dir):
        """There a file may be written but not renamed over."""
        path = open_dir / "f"
        path.write_bytes(b"old content")
        path.chmod(0o666)
        open_dir.chmod(0o1777)
        with as_nobody():
            replace_file(path, b"new")
        assert (path.read_bytes(), names(open_dir), path.stat().st_uid) == (b"new", ["f"], 0)

    @pytest.mark.parametrize("code", [errno.EXDEV, errno.EBUSY])
    def test_a_mount_that_refuses_rename(self, file, monkeypatch, code):
        """A mounted file cannot be made here; the refusal is what the kernel answers then."""

        def refuse(source, target):
            raise OSError(code, os.strerror(code), source, None, target)

        inode = file.stat().st_ino
        monkeypatch.setattr(os, "replace", refuse)
        replace_file(file, b"new")
        assert (file.read_bytes(), file.stat().st_ino) == (b"new", inode)
        assert names(file.parent) == ["f.txt"]

    def test_a_pipe_is_written_to(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        replace_file(pipe, b"new")
        assert os.read(reader, 10) == b"new"
        os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    def test_a_pipe_that_nobody_reads_is_an_error(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="No such device"):
            replace_file(tmp_path / "pipe", b"new")

    def test_a_device_is_written_to(self):
        replace_file("/dev/null", b"new")
        assert Path("/dev/null").is_char_device()


class TestRefusals:
    def test_a_directory_is_an_error(self, tmp_path):
        with pytest.raises(IsADirectoryError, match=str(tmp_path)):
            replace_file(tmp_path, b"new")

    def test_a_missing_directory_is_an_error(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            replace_file(tmp_path / "missing" / "f", b"new")

    def test_a_path_through_a_file_is_an_error(self, file):
        with pytest.raises(NotADirectoryError):
            replace_file(file / "below", b"new")

    def test_a_socket_is_an_error(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)  # the names of sockets are short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("s")
            with pytest.raises(OSError, match="No such device"):
                replace_file("s", b"new")

    def test_a_file_that_may_not_be_written_is_not_renamed_over(self, open_dir):
        path = open_dir / "f"
        path.write_bytes(b"old")
        path.chmod(0o444)
        with as_nobody(), pytest.raises(PermissionError, match=str(path)):
            replace_file(path, b"new")
        assert (path.read_bytes(), names(open_dir)) == (b"old", ["f"])

    def test_a_new_file_in_a_directory_that_may_not_be_written(self, open_dir):
        open_dir.chmod(0o555)
        with as_nobody(), pytest.raises(PermissionError):
            replace_file(open_dir / "new", b"new")
        assert names(open_dir) == []


class TestNoRoom:
    """A file-size limit stops a write in the middle, as a full disk does."""

    @pytest.mark.parametrize("linked", [False, True])
    @pytest.mark.parametrize(
        ("old_size", "limit", "new_size"),
        [(10, 4096, 9000), (9000, 4096, 9500), (9000, 4096, 8000), (0, 1, 2)],
    )
    def test_the_old_content_stays_and_nothing_else(self, file, linked, old_size, limit, new_size):
        old = bytes(range(250)) * (old_size // 250) + b"o" * (old_size % 250)
        file.write_bytes(old)
        if linked:
            os.link(file, file.parent / "other")
        before = names(file.parent)
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, file, str(limit), str(new_size)],
            stdout=subprocess.PIPE,
            check=True,
        )
        assert int(done.stdout) == errno.EFBIG
        assert file.read_bytes() == old
        assert names(file.parent) == before

    def test_a_new_file_is_not_there_afterwards(self, tmp_path):
        subprocess.run([sys.executable, "-c", LIMITED, tmp_path / "new", "100", "200"], check=True)
        assert names(tmp_path) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    def test_a_full_device_is_an_error(self):
        with pytest.raises(OSError, match="No space left"):
            replace_file("/dev/full", b"new")

    @pytest.mark.parametrize("call", ["fsync", "replace"])
    def test_an_error_or_an_interrupt_at_a_late_step_leaves_no_temporary_file(self, file, monkeypatch, call):
        def interrupt(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr(atomic.os, call, interrupt)
        with pytest.raises(KeyboardInterrupt):
            replace_file(file, b"new")
        assert (file.read_bytes(), names(file.parent)) == (b"old content", ["f.txt"])


def kill_while_writing(path, delay):
    with subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, path], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("kills", [25, pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(600)])])
def test_a_kill_at_any_moment_leaves_one_whole_content(tmp_path, kills):
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    seen = set()
    for number in range(kills):
        kill_while_writing(path, (number * 7 % 31) / 5000)
        content = path.read_bytes()
        assert len(content) in {3, 70_000, 200_000}
        assert content == b"abc" or content == content[:1] * len(content)
        seen.add(content[:1])
    assert len(seen) > 1


def test_the_limits_of_this_process_are_untouched():
    """The limits above were set in processes of their own."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
