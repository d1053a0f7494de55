"""An advisory lock between processes, on a file of its own that carries the holder's pid.

`filelock` is not used here: it takes its lock through several Python layers and, waiting, in a thread, while
an entry of the queue may pay 20 µs for the lock and must not leave the event loop.
"""

import asyncio
import os
import sys
from functools import cache

__all__ = ["FileLock"]

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.02
"""Seconds between two tries: short, so that a busy file is handed on quickly."""

_PID_BYTES = 20

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30  # past the pid, which a byte locked by somebody else would make unreadable
    _OPEN_FLAGS = os.O_RDWR | os.O_CREAT | os.O_BINARY | os.O_NOINHERIT

    def _lock(fd: int) -> bool:
        os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(fd, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    _OPEN_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@cache
def _pid_line() -> bytes:
    """Always of one length, so that it can be written over. Asking for it takes a tenth of a lock's time."""
    return b"%-*d\n" % (_PID_BYTES, os.getpid())


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_pid_line.cache_clear)


class FileLock:
    """One exclusive lock. The file stays behind when it is released: removing it would open a race.

    Two of these on one file exclude each other within a process as well, so a second event loop in a thread
    counts as a second process.

    Attributes:
        held: Whether it is ours.
    """

    __slots__ = ("_fd", "held")

    def __init__(self, file: str) -> None:
        """Open the file and take the lock if nobody has it.

        Raises:
            FileNotFoundError: The directory is gone.
            OSError: The file cannot be opened or locked for another reason.
        """
        self._fd = os.open(file, _OPEN_FLAGS, 0o600)
        self.held = False
        try:
            self._try()
        except BaseException:
            os.close(self._fd)
            raise

    async def acquire(self, timeout: float) -> bool:  # noqa: ASYNC109  (running out is an answer here, no exception)
        """Try until the lock is had or ``timeout`` seconds are over, without blocking the event loop."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        pause = _FIRST_PAUSE
        while not self.held and (left := deadline - clock()) > 0:
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST_PAUSE)
            self._try()
        return self.held

    def holder(self) -> int | None:
        """The pid that the last holder left, or ``None`` if it left none."""
        os.lseek(self._fd, 0, os.SEEK_SET)
        text = os.read(self._fd, _PID_BYTES).strip()
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Give the lock up, if it was had, and close the file."""
        os.close(self._fd)

    def _try(self) -> None:
        if _lock(self._fd):
            self.held = True
            self._leave_pid()

    def _leave_pid(self) -> None:
        """Write only what is not there yet: most entries of a process follow another one of its own."""
        pid = _pid_line()
        if os.read(self._fd, len(pid)) == pid:
            return
        try:
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, pid)
        except OSError:  # a full disk: the lock is held all the same, only its holder cannot be named
            os.ftruncate(self._fd, 0)
