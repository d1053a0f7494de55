"""One writer of the trust store at a time, among all processes, and who that is."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from pihost.trust._store_errors import TrustStoreError

__all__ = ["store_lock"]

_OPEN_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_PAUSE = 0.005
_NOTE_AT = 1
"""Byte 0 is the one that Windows locks; nobody else could read it."""

_NOTE_BYTES = 64


@contextlib.contextmanager
def store_lock(file: Path, *, patience: float) -> Iterator[None]:
    """Hold the lock on ``file`` while the block runs.

    The operating system ties the lock to the process: what a dead one left behind holds nothing. The file
    stays, for removing it would open a race. As long as the lock changes hands, waiting goes on; one holder
    that keeps it for ``patience`` seconds is named and given up on.

    Args:
        file: The lock file; it is made where it is missing, mode 0600.
        patience: Seconds to wait for one holder.

    Raises:
        TrustStoreError: another process keeps the lock.
        OSError: the file cannot be opened or locked.
    """
    fd = os.open(file, _OPEN_FLAGS, 0o600)
    try:
        _wait(fd, file, patience)
        _write_note(fd)
        yield
    finally:
        os.close(fd)  # gives the lock up as well


def _wait(fd: int, file: Path, patience: float) -> None:
    from filelock import lock_descriptor

    note, since = _read_note(fd), time.monotonic()
    while not lock_descriptor(fd, blocking=False):
        if (now_there := _read_note(fd)) != note:
            note, since = now_there, time.monotonic()
        if time.monotonic() - since >= patience:
            raise TrustStoreError(file, f"it has been locked for {patience:g} seconds by {_who(note)}")
        time.sleep(_PAUSE)


def _who(note: bytes) -> str:
    pid = note.partition(b" ")[0]
    return f"process {int(pid)}" if pid.isdigit() else "another process"


def _write_note(fd: int) -> None:
    """The holder's process id, and a moment that tells this time of holding it from the next."""
    note = b"%d %d" % (os.getpid(), time.monotonic_ns())
    os.lseek(fd, _NOTE_AT, os.SEEK_SET)
    os.write(fd, note.ljust(_NOTE_BYTES))


def _read_note(fd: int) -> bytes:
    os.lseek(fd, _NOTE_AT, os.SEEK_SET)
    return os.read(fd, _NOTE_BYTES)
