"""The lock between processes: real processes, their death, time limits, and directories that are no use."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from pihost.tools.writing import _lock_files, mutation_queue
from pihost.tools.writing._file_lock import FileLock
from pihost.tools.writing.mutation_queue import (
    LockDirectoryWarning,
    MutationLockTimeoutError,
    file_mutation_queue,
)

HOLD = """
import asyncio, sys
from pihost.tools.writing.mutation_queue import file_mutation_queue

async def main(path, locks):
    async with file_mutation_queue(path, lock_dir=locks):
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main(*sys.argv[1:]))
"""

EDIT = """
import asyncio, sys
from pathlib import Path
from pihost.tools.writing.atomic import replace_file
from pihost.tools.writing.mutation_queue import file_mutation_queue

async def main(path, locks, name, count):
    for number in range(int(count)):
        async with file_mutation_queue(path, lock_dir=locks):
            text = Path(path).read_bytes()
            await asyncio.sleep(0)
            replace_file(path, text + f"{name}:{number}\\n".encode())

asyncio.run(main(*sys.argv[1:]))
"""

FORK = """
import os, sys
from pathlib import Path
from pihost.tools.writing._file_lock import FileLock

FileLock(sys.argv[1]).release()
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
    print(pid, Path(sys.argv[1]).read_text())
else:
    FileLock(sys.argv[1]).release()
"""


@pytest.fixture
def locks(tmp_path):
    return tmp_path / "locks"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text("")
    return path


@pytest.fixture(autouse=True)
def nothing_left():
    """Neither a line nor a descriptor is left behind."""
    descriptors = Path("/dev/fd")
    before = len(list(descriptors.iterdir()))
    yield
    assert mutation_queue._lines == {}
    assert len(list(descriptors.iterdir())) <= before


@pytest.fixture
def holder(file, locks):
    """Another process that holds the file until its input ends."""
    with start(HOLD, file, locks, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def start(code, *arguments, **streams):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **streams)


async def enter(file, locks, timeout=30.0):  # noqa: ASYNC109  (handed on to what is tested)
    async with file_mutation_queue(file, lock_dir=locks, timeout=timeout):
        return True


class TestProcesses:
    async def test_a_file_held_too_long_is_an_error_that_names_it_and_the_holder(self, file, locks, holder):
        with pytest.raises(MutationLockTimeoutError) as caught:
            await enter(file, locks, timeout=0.05)
        assert caught.value.path == str(file)
        assert caught.value.holder == holder.pid
        assert f"process {holder.pid}" in str(caught.value)

    async def test_waiting_does_not_block_the_loop(self, file, locks, holder):
        task = asyncio.create_task(enter(file, locks))
        steps = 0
        while steps < 20:
            await asyncio.sleep(0.001)
            steps += 1
        assert not task.done()
        holder.communicate(b"\n")
        assert await task

    async def test_a_cancelled_wait_lets_the_next_try(self, file, locks, holder):
        task = asyncio.create_task(enter(file, locks))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        holder.communicate(b"\n")
        assert await enter(file, locks)

    async def test_a_holder_that_died_holds_nothing(self, file, locks, holder):
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert await enter(file, locks, timeout=1)

    async def test_other_files_are_free(self, file, locks, holder):
        assert await enter(file.parent / "other", locks, timeout=0)

    async def test_without_a_directory_there_is_no_lock(self, file, holder):
        assert await enter(file, None, timeout=0)

    async def test_a_second_loop_is_kept_out(self, file, locks):
        def in_a_thread():
            with pytest.raises(MutationLockTimeoutError) as caught:
                asyncio.run(enter(file, locks, timeout=0.02))
            holders.append(caught.value.holder)

        holders = []
        async with file_mutation_queue(file, lock_dir=locks):
            thread = threading.Thread(target=in_a_thread)
            thread.start()
            await asyncio.get_running_loop().run_in_executor(None, thread.join)
        assert holders == [os.getpid()]

    @pytest.mark.parametrize(("processes", "edits"), [(4, 15), pytest.param(8, 50, marks=pytest.mark.soak)])
    def test_no_edit_of_several_processes_is_lost(self, file, locks, processes, edits):
        running = [start(EDIT, file, locks, name, edits) for name in range(processes)]
        assert [process.wait(60) for process in running] == [0] * processes
        assert sorted(file.read_text().split()) == sorted(
            f"{name}:{number}" for name in range(processes) for number in range(edits)
        )


class TestLockFiles:
    async def test_they_are_private_carry_the_pid_and_stay(self, file, locks):
        async with file_mutation_queue(file, lock_dir=locks):
            [lock] = locks.iterdir()
            assert int(lock.read_text()) == os.getpid()
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        assert stat.S_IMODE(locks.stat().st_mode) == 0o700

    async def test_all_names_of_a_file_use_one_and_nothing_is_put_beside_it(self, tmp_path, file, locks):
        (tmp_path / "link").symlink_to(file)
        before = sorted(tmp_path.iterdir())
        for name in (file, tmp_path / "link", f"{tmp_path}/./f.txt"):
            await enter(name, locks)
        assert len(list(locks.iterdir())) == 1
        assert sorted(tmp_path.iterdir()) == sorted([*before, locks])

    async def test_a_directory_tidied_up_in_between_is_made_again(self, file, locks):
        await enter(file, locks)
        for lock in locks.iterdir():
            lock.unlink()
        locks.rmdir()
        assert await enter(file, locks)
        assert len(list(locks.iterdir())) == 1

    def test_what_is_no_pid_is_no_holder(self, tmp_path):
        path = tmp_path / "lock"
        first = FileLock(str(path))
        path.write_bytes(b"nonsense")
        second = FileLock(str(path))
        assert (first.held, second.held) == (True, False)
        assert second.holder() is None
        second.release()
        first.release()

    def test_a_pid_left_by_a_dead_process_is_written_over(self, tmp_path):
        path = tmp_path / "lock"
        path.write_bytes(b"999999999999            \n")
        lock = FileLock(str(path))
        assert int(path.read_bytes()[:21]) == os.getpid()
        lock.release()

    def test_a_forked_process_leaves_its_own_pid(self, tmp_path):
        with start(FORK, tmp_path / "lock", stdout=subprocess.PIPE, text=True) as process:
            forked, left = process.communicate()[0].split()
        assert left == forked != str(process.pid)

    async def test_a_link_in_its_place_is_an_error_and_not_followed(self, tmp_path, file, locks):
        await enter(file, locks)
        [lock] = locks.iterdir()
        lock.unlink()
        victim = tmp_path / "victim"
        victim.write_text("keep")
        lock.symlink_to(victim)
        with pytest.raises(OSError, match="symbolic links"):
            await enter(file, locks)
        assert victim.read_text() == "keep"


class TestUselessDirectories:
    @pytest.mark.parametrize("place", ["{file}", "{file}/locks", "/dev/null/locks"])
    async def test_one_that_cannot_be_made_is_one_warning(self, file, place):
        directory = place.format(file=file)
        with pytest.warns(LockDirectoryWarning, match="Other processes are not kept out") as caught:
            assert await enter(file, directory)
        assert await enter(file, directory)
        assert directory in str(caught[0].message)

    async def test_the_line_still_holds_without_it(self, file, tmp_path):
        order = []

        async def append(number):
            async with file_mutation_queue(file, lock_dir="/dev/null/elsewhere"):
                order.append(number)
                await asyncio.sleep(0)
                assert order[-1] == number

        with pytest.warns(LockDirectoryWarning):
            await asyncio.gather(*map(append, range(5)))
        assert order == [0, 1, 2, 3, 4]

    async def test_a_warning_turned_into_an_error_leaves_no_line(self, file):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(LockDirectoryWarning):
                await enter(file, "/dev/null/strict")
        assert mutation_queue._lines == {}

    async def test_one_on_a_full_disk_is_no_use(self, file, locks, monkeypatch):
        """Opening a lock file fails as a full disk makes it fail."""

        def refuse(path):
            raise OSError(28, "No space left on device", path)

        monkeypatch.setattr(_lock_files, "FileLock", refuse)
        with pytest.warns(LockDirectoryWarning, match="No space left on device"):
            assert await enter(file, locks)


async def test_a_free_lock_is_had_without_waiting(file, locks):
    started = time.monotonic()
    for _ in range(50):
        await enter(file, locks, timeout=0)
    assert len(list(locks.iterdir())) == 1
    assert time.monotonic() > started
