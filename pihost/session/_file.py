"""The file behind a session: created private, locked while open, written one append at a time."""

from __future__ import annotations

import errno
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pihost.paths import make_private_dir
from pihost.session.errors import SessionFileError, SessionLockedError

__all__ = ["SessionFile"]

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
_NEW = os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_CHUNK = 1 << 20
_LOOK_EVERY = 0.001
"""Seconds between two looks whether the file was deleted: one costs as much as writing an entry does."""

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 40
    """A byte far behind any content, so that the lock keeps nobody from reading."""

    def _lock(fd: int) -> bool:
        os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            # A file system without locks must not keep anybody from working.
            return fault.errno not in {errno.EWOULDBLOCK, errno.EACCES}
        return True


class SessionFile:
    """An open session file. The lock is on the file itself, so that nothing is left beside it.

    Attributes:
        path: Where it is, or will be with the first append.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._at_line_start = True
        self._next_look = 0.0
        self._unseen = False

    def __del__(self) -> None:
        if getattr(self, "_fd", None) is not None:
            warnings.warn(f"session file {self.path} was not closed", ResourceWarning, stacklevel=1)
            self.close()

    def open(self) -> Iterator[bytes]:
        """Open and lock the file as it is, and give its bytes in pieces; none where there is no file yet.

        Raises:
            SessionFileError: it is no file, or may not be read and written.
            SessionLockedError: another session has it open.
        """
        if self.path.exists() and not self.path.is_file():
            kind = "a directory" if self.path.is_dir() else "no regular file"
            raise SessionFileError(self.path, f"it is {kind}")
        try:
            fd = self._take(os.open(self.path, _FLAGS))
        except FileNotFoundError:
            return iter(())
        except OSError as fault:
            raise SessionFileError(self.path, fault.strerror or str(fault)) from fault
        return self._pieces(fd)

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes of the file; it may have been closed meanwhile.

        Raises:
            OSError: it cannot be read.
        """
        if self._fd is not None:
            return _read(self._fd, offset, length)
        with self.path.open("rb") as file:
            return _read(file.fileno(), offset, length)

    def append(self, lines: Sequence[bytes], everything: Callable[[], bytes]) -> None:
        """Write ``lines`` with one call, from the beginning of a line on.

        Args:
            lines: Each with its end.
            everything: What to write instead where the file is not there, or not any more.

        Raises:
            OSError: it could not be written, or not all of it.
            SessionLockedError: another session made the file first.
        """
        fd = self._fd
        if fd is None or self._is_found_deleted(fd):
            data, fd = everything(), self._create()
        else:
            data = b"".join(lines) if self._at_line_start else b"\n" + b"".join(lines)
        self._at_line_start = os.write(fd, data) == len(data)
        if not self._at_line_start:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def look_again(self) -> bool:
        """Whether lines went to a file that was deleted unseen; the next append then writes everything."""
        self._next_look = 0.0
        return self._unseen and self._fd is not None and os.fstat(self._fd).st_nlink == 0

    def clear(self) -> None:
        """Empty a file that holds nothing worth keeping."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            self._at_line_start = True

    @property
    def is_open(self) -> bool:
        """Whether there is a file behind it now."""
        return self._fd is not None

    def close(self) -> None:
        """Give the file and its lock up; doing so again changes nothing."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _is_found_deleted(self, fd: int) -> bool:
        now = time.monotonic()
        self._unseen = now < self._next_look
        if self._unseen:
            return False
        deleted = os.fstat(fd).st_nlink == 0
        if not deleted:
            self._next_look = now + _LOOK_EVERY
        return deleted

    def _take(self, fd: int) -> int:
        if not _lock(fd):
            os.close(fd)
            raise SessionLockedError(self.path)
        self.close()
        self._fd = fd
        return fd

    def _pieces(self, fd: int) -> Iterator[bytes]:
        offset = 0
        while piece := _read(fd, offset, _CHUNK):
            self._at_line_start = piece.endswith(b"\n")
            yield piece
            offset += len(piece)

    def _create(self) -> int:
        make_private_dir(self.path.parent)
        fd = self._take(os.open(self.path, _FLAGS | _NEW, 0o600))
        self._at_line_start = True
        return fd


def _read(fd: int, offset: int, length: int) -> bytes:
    """That many bytes from there on, or as many as there are; what is written is appended in any case."""
    os.lseek(fd, offset, os.SEEK_SET)
    parts = []
    while length and (part := os.read(fd, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
