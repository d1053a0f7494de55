"""One line per file: whoever reads, changes and writes a file does so after those who came before."""

import asyncio
import os
from collections import deque
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from types import TracebackType

from pihost.errors import PihostError
from pihost.tools.writing._canonical import resolve_strict
from pihost.tools.writing._file_lock import FileLock
from pihost.tools.writing._lock_files import LockDirectoryWarning, open_lock

__all__ = ["LockDirectoryWarning", "MutationLockTimeoutError", "MutationReentryError", "file_mutation_queue"]

_Slot = tuple[asyncio.AbstractEventLoop, str]

_lines: dict[_Slot, deque[asyncio.Future[None]]] = {}
"""A file that is held, with those who wait for it. Per event loop: futures belong to one, and a second loop
counts as a second process."""

_held: ContextVar[tuple["_Place", ...]] = ContextVar("pihost_held_files", default=())
"""What the running task holds, or what was held where it was started."""


class MutationReentryError(PihostError):
    """A file was entered again by the task that holds it, or by one started while it was held.

    Attributes:
        path: The file, as it was given.
    """

    hint = "Make all changes to a file in one entry, or leave it before entering it again."

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} is already held here: waiting for it would never end."


class MutationLockTimeoutError(PihostError):
    """Another process, or another event loop, kept a file for too long.

    Attributes:
        path: The file, as it was given.
        holder: Process id of the holder, or ``None`` if it left none.
        timeout: Seconds waited.
    """

    hint = "Try again when the other process is done, or end it."

    def __init__(self, path: str, holder: int | None, timeout: float) -> None:
        super().__init__(path, holder, timeout)
        self.path = path
        self.holder = holder
        self.timeout = timeout

    def __str__(self) -> str:
        who = "another process" if self.holder is None else f"process {self.holder}"
        return f"{self.path} is being changed by {who}: not free after {self.timeout:g} s."


def file_mutation_queue(
    path: str | os.PathLike[str], *, lock_dir: str | os.PathLike[str] | None = None, timeout: float = 30.0
) -> AbstractAsyncContextManager[None]:
    """Hold one file while reading, changing and writing it.

    Entries for one file run one after another in the order they came; different files never wait for each
    other. An exception or a cancellation in one entry does not hold up the next, and a waiter that is
    cancelled leaves the line. Symbolic links and hard links to a file share its line, and so do two routes
    to a file that does not exist yet.

    This does not: make changes to several files one change, stop programs that do not take the lock, notice
    that two spellings differ only in case on a file system that ignores case, untangle two tasks that each
    hold a file and want the other's, or know whether an edit means what the user meant.

    Args:
        path: The file. It need not exist.
        lock_dir: Directory for the locks that keep other processes out; made when missing. ``None`` is the
            line within this event loop alone. One that cannot be made is a `LockDirectoryWarning`, once.
        timeout: Seconds to wait for another process; the line itself has no limit.

    Returns:
        A context manager for one ``async with``.

    Raises:
        MutationReentryError: On entry: the file is already held by this task or where it was started.
        MutationLockTimeoutError: On entry: another process kept the file for too long.
        OSError: On entry: the path is a loop of links, or leads through a file or a forbidden directory.
    """
    return _Place(os.fspath(path), None if lock_dir is None else os.fspath(lock_dir), timeout)


class _Place:
    """A place in the line of one file."""

    __slots__ = ("_lock", "_lock_dir", "_path", "_slot", "_timeout", "active", "key")

    def __init__(self, path: str, lock_dir: str | None, timeout: float) -> None:
        self.key = ""
        self.active = False
        self._path = path
        self._lock_dir = lock_dir
        self._timeout = timeout
        self._lock: FileLock | None = None
        self._slot: _Slot

    async def __aenter__(self) -> None:
        # Nothing may await between computing the key and taking the place in line.
        self.key = key = _key(self._path)
        held = _held.get()
        for place in held:
            if place.active and place.key == key:
                raise MutationReentryError(self._path)
        self._slot = slot = (asyncio.get_running_loop(), key)
        waiters = _lines.get(slot)
        if waiters is None:
            _lines[slot] = deque()
        else:
            await _wait_for_turn(slot, waiters)
        if self._lock_dir is not None:
            try:
                self._lock = lock = open_lock(self._lock_dir, key)
                if lock is not None and not lock.held:
                    await self._wait_for(lock)
            except BaseException:
                self._leave()
                raise
        self.active = True
        _held.set((*held, self))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.active = False
        _held.set(tuple(place for place in _held.get() if place.active))
        self._leave()

    async def _wait_for(self, lock: FileLock) -> None:
        if not await lock.acquire(self._timeout):
            raise MutationLockTimeoutError(self._path, lock.holder(), self._timeout)

    def _leave(self) -> None:
        lock, self._lock = self._lock, None
        try:
            if lock is not None:
                lock.release()
        finally:
            _pass_on(self._slot)


def _key(path: str) -> str:
    """What all names of one file have in common."""
    resolved, status = resolve_strict(path)
    if status is not None and status.st_nlink > 1:
        return f"inode:{status.st_dev}:{status.st_ino}"
    return resolved


async def _wait_for_turn(slot: _Slot, waiters: deque[asyncio.Future[None]]) -> None:
    turn = slot[0].create_future()
    waiters.append(turn)
    try:
        await turn
    except BaseException:
        if not turn.cancelled():  # cancelled after the turn was given and before this task ran
            _pass_on(slot)
        elif turn in waiters:
            waiters.remove(turn)
        raise


def _pass_on(slot: _Slot) -> None:
    """Give the file to the next in line; with nobody there, keep nothing."""
    waiters = _lines[slot]
    while waiters:
        turn = waiters.popleft()
        if not turn.done():
            turn.set_result(None)
            return
    del _lines[slot]
