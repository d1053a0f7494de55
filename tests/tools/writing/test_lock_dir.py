"""Where lock files live, and which directories are refused."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from pihost.tools.writing.lock_dir import default_lock_dir, prepare_lock_dir


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestDefault:
    def test_it_is_in_the_runtime_directory_of_the_session(self, tmp_path):
        assert default_lock_dir({"XDG_RUNTIME_DIR": str(tmp_path)}) == tmp_path / "pihost-locks"

    @pytest.mark.parametrize("runtime", [None, "", "relative", "/nowhere/at/all"])
    def test_without_one_it_is_the_users_own_temporary_directory(self, runtime):
        environ = {} if runtime is None else {"XDG_RUNTIME_DIR": runtime}
        expected = Path(tempfile.gettempdir()) / f"pihost-{os.getuid()}" / "locks"
        assert default_lock_dir(environ) == expected


class TestPrepare:
    def test_it_is_made_private_with_its_parents(self, tmp_path):
        previous = os.umask(0)
        try:
            assert prepare_lock_dir(tmp_path / "mine" / "locks") is None
        finally:
            os.umask(previous)
        assert mode_of(tmp_path / "mine") == mode_of(tmp_path / "mine" / "locks") == 0o700

    def test_one_that_is_there_is_used_as_it_is(self, tmp_path):
        tmp_path.chmod(0o755)
        assert prepare_lock_dir(tmp_path) is None
        assert mode_of(tmp_path) == 0o755

    def test_a_link_is_refused(self, tmp_path):
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "locks").symlink_to("elsewhere")
        assert "is a symbolic link" in prepare_lock_dir(tmp_path / "locks")

    def test_one_that_everybody_may_write_is_refused(self, tmp_path):
        tmp_path.chmod(0o777)
        assert "mode must be 0700" in prepare_lock_dir(tmp_path)

    @pytest.mark.parametrize("stranger", ["locks", "."])
    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
    def test_somebody_elses_is_refused_and_so_is_one_in_somebody_elses(self, tmp_path, stranger):
        home = tmp_path / "home"
        (home / "locks").mkdir(parents=True)
        os.chown(home / stranger, 12345, -1)
        assert "belongs to another user" in prepare_lock_dir(home / "locks")

    def test_one_that_cannot_be_made_is_named_with_the_reason(self, tmp_path):
        (tmp_path / "file").touch()
        fault = prepare_lock_dir(tmp_path / "file" / "locks")
        assert fault == f"The lock directory {tmp_path}/file/locks cannot be made: Not a directory."
