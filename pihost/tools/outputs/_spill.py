"""The file that takes a tool's full output once it is too much to show."""

from __future__ import annotations

import errno
import io
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from pihost.errors import PihostError
from pihost.paths import make_private_dir

__all__ = ["OutputSpillError", "SpillFile"]

_MAX_AGE: Final = 7 * 24 * 3600.0
_PRIVATE: Final = 0o700
_OTHERS: Final = 0o077


class OutputSpillError(PihostError):
    """The full output of a tool could not be kept; what is shown of it is all that is left.

    Attributes:
        path: The file, or the directory it was to be made in; ``None`` if there is no temporary directory.
        reason: What went wrong there.
    """

    hint = "Make room or give write permission there, then run it again."

    def __init__(self, path: Path | None, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path is not None else ""
        return f"The full output was lost: {where}{self.reason}"


class SpillFile:
    """A new file of mode 0600 in a directory of mode 0700 that belongs to the user alone.

    Every write goes to the system at once: a failure shows where it happens, and the file can be read at any
    time.

    Args:
        prefix: How the file's name begins.
        fallback_dir: Directory to use if the user's own below the temporary directory is refused: it is a
            symlink, somebody else's, or cannot be written.

    Attributes:
        path: Where the file is.

    Raises:
        OutputSpillError: No directory takes it.
    """

    def __init__(self, prefix: str, fallback_dir: Path | None) -> None:
        try:
            descriptor, self.path = _create(_user_directory(), prefix)
        except OSError as error:
            if fallback_dir is None:
                raise _lost(error) from error
            try:
                make_private_dir(fallback_dir.parent)
                descriptor, self.path = _create(fallback_dir, prefix)
            except OSError as second:
                raise _lost(second, f", and {error}") from second
        self._file = io.FileIO(descriptor, "w")

    def write(self, data: bytes | bytearray) -> None:
        """Append all of ``data``.

        Raises:
            OutputSpillError: The system did not take it.
        """
        try:
            written = self._file.write(data)
            while written < len(data):
                written += self._file.write(memoryview(data)[written:])
        except OSError as error:
            raise OutputSpillError(self.path, error.strerror or str(error)) from error

    def verify(self) -> None:
        """Check that what was written can still be found under ``path``.

        Raises:
            OutputSpillError: The file was removed or replaced.
        """
        if self._file.closed:
            return
        try:
            same = os.path.samestat(self.path.lstat(), os.fstat(self._file.fileno()))
        except OSError as error:
            raise OutputSpillError(self.path, error.strerror or str(error)) from error
        if not same:
            raise OutputSpillError(self.path, "another file was put in its place")

    def close(self) -> None:
        """Close the file; it stays where it is.

        Raises:
            OutputSpillError: The system reported late that it had not kept what was written.
        """
        try:
            self._file.close()
        except OSError as error:
            raise OutputSpillError(self.path, error.strerror or str(error)) from error

    def discard(self) -> None:
        """Close and remove a file that is no longer complete."""
        # The failure that made it incomplete is what is reported; one more on the way out says nothing new.
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self.path.unlink()


def _lost(error: OSError, more: str = "") -> OutputSpillError:
    path = Path(error.filename) if error.filename is not None else None
    return OutputSpillError(path, f"{error.strerror or error}{more}")


def _user_directory() -> Path:
    # Where there are no user ids, the temporary directory itself is the user's own.
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    return Path(tempfile.gettempdir(), f"pihost-output{user}")


def _create(directory: Path, prefix: str) -> tuple[int, Path]:
    _make_private(directory)
    _remove_old(directory, older_than=time.time() - _MAX_AGE)
    descriptor, name = tempfile.mkstemp(prefix=f"{prefix}-", suffix=".log", dir=directory)
    return descriptor, Path(name)


def _make_private(directory: Path) -> None:
    """Make sure that ``directory`` is a real directory, the user's own, and closed to all others."""
    try:
        directory.mkdir(_PRIVATE)
    except FileExistsError:
        _require_private(directory)


def _require_private(directory: Path) -> None:
    # Nobody else can replace a directory of ours afterwards: the temporary directory is sticky.
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "is a symlink or no directory", str(directory))
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            raise PermissionError(errno.EPERM, "belongs to another user", str(directory))
        if status.st_mode & _OTHERS:
            directory.chmod(_PRIVATE)


def _remove_old(directory: Path, *, older_than: float) -> None:
    with os.scandir(directory) as entries:
        for entry in entries:
            # Another process may be tidying up as well, and an old file is no reason to lose the new one.
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and status.st_mtime < older_than:
                    Path(entry.path).unlink()
