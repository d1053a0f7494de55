"""Files that only the user may read, replaced as a whole."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["replace_private_file"]


def replace_private_file(path: Path, data: bytes) -> None:
    """Put a new file with mode 0600 in the place of ``path``, on the disk before it is seen.

    A link is replaced, not written through: what it leads to may be somebody else's. After an error the old
    file is there and no other.

    Raises:
        OSError: no room, no permission, no such directory.
    """
    import tempfile

    fd, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is the one to report
            Path(temporary).unlink()
        raise
    _flush_directory(path.parent)


def _flush_directory(path: Path) -> None:
    """Make the new name last; where a directory cannot be opened for this, the file system sees to it."""
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
