"""Reads small files with the fewest calls to the operating system: at a start there may be hundreds."""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["read_file"]

_CHUNK = 1 << 16
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_file(path: str | os.PathLike[str], *, most: int = sys.maxsize) -> bytes:
    """The bytes of a file; nearly every one is read at once, without a buffer of its own.

    Args:
        path: The file.
        most: Bytes that it may have.

    Raises:
        OSError: it cannot be read; ``EFBIG`` where it is larger than ``most``, since a part may say something
            else than the whole.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        chunks = [os.read(descriptor, _CHUNK)]
        size = len(chunks[0])
        while len(chunks[-1]) == _CHUNK and size <= most:
            chunks.append(os.read(descriptor, _CHUNK))
            size += len(chunks[-1])
    finally:
        os.close(descriptor)
    if size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return b"".join(chunks)
