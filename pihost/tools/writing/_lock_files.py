"""The lock file of each file, and which lock directories are no use."""

import errno
import os
import warnings
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from pihost.tools.writing._file_lock import FileLock
from pihost.tools.writing.lock_dir import prepare_lock_dir

__all__ = ["LockDirectoryWarning", "open_lock"]

_usable: dict[str, bool] = {}
"""Directories looked at so far, and whether they can be used; those that cannot were warned about."""

_UNUSABLE = frozenset({errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOLCK, errno.EOPNOTSUPP})
"""What opening or locking says when the directory is no place for locks; else the fault is this process's."""


class LockDirectoryWarning(RuntimeWarning):
    """The lock directory cannot be used, so files are not guarded against other processes."""


def open_lock(directory: str, key: str) -> FileLock | None:
    """Open the lock of a file, and take it if it is free.

    Args:
        directory: The lock directory; made when missing.
        key: What all names of the file have in common.

    Returns:
        The lock, held or not, or ``None`` when the directory is no use, which is a warning the first time.

    Raises:
        OSError: This process can open no more files, or the lock file was tampered with.
    """
    usable = _usable.get(directory)
    if usable is None:
        usable = _prepare(directory)
    if not usable:
        return None
    file = _lock_file(directory, key)
    try:
        return FileLock(file)
    except FileNotFoundError:  # somebody tidied up
        return FileLock(file) if _prepare(directory) else None
    except OSError as error:
        if error.errno not in _UNUSABLE:
            raise
        _go_without(directory, f"The lock directory {directory} cannot be used: {error.strerror}.")
        return None


@lru_cache(maxsize=1024)
def _lock_file(directory: str, key: str) -> str:
    """A name of fixed length for whatever a file is called."""
    return f"{directory}/{blake2b(os.fsencode(key), digest_size=16).hexdigest()}.lock"


def _prepare(directory: str) -> bool:
    fault = prepare_lock_dir(Path(directory))
    if fault is not None:
        _go_without(directory, fault)
        return False
    _usable[directory] = True
    return True


def _go_without(directory: str, fault: str) -> None:
    _usable[directory] = False
    warnings.warn(f"{fault} Other processes are not kept out.", LockDirectoryWarning, stacklevel=2)
