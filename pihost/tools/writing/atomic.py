"""Write a whole file so that a crash leaves the old or the new content, never half."""

import errno
import os
import stat
import sys

from pihost.tools.writing._canonical import resolve_strict
from pihost.tools.writing._temporary import open_temporary

__all__ = ["replace_file"]

_RENAME_REFUSED = frozenset(
    {errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES, errno.ETXTBSY, errno.EINVAL}
)
"""A file that is a mount point, a sticky directory, a file open on Windows."""

_NO_ROOM_FOR_TEMPORARY = frozenset({errno.EACCES, errno.EPERM})
"""The directory may not be written, though the file may."""

_EFFECTIVE_IDS = os.access in os.supports_effective_ids


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Give a file new content, creating it if it is missing.

    A temporary file beside it is written, flushed to disk and renamed over it, with the mode and, where
    allowed, the owner and the extended attributes of the old one. A new file gets the mode that the umask
    says. A symbolic link is written through. The file is written in place where renaming would lose
    something or is not possible: several hard links, a special file, a directory that may not be written, a
    mount that refuses.

    After an error the old content is there and no temporary file is left; one that a killed process left is
    removed when the same file is written again a minute later or more. In place that holds for a full disk
    and a size limit; a crash in the middle can leave a mixture there. The directory entry itself is not
    flushed: a crash right after may bring the old content back, whole.

    This blocks; call it from a thread.

    Args:
        path: The file. Its directory must exist.
        data: The whole new content.

    Raises:
        OSError: It cannot be written: a directory, no permission, no space, a loop of links.
    """
    target, status = resolve_strict(path)
    if status is None:
        _replace(target, data, None)
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not os.access(target, os.W_OK, effective_ids=_EFFECTIVE_IDS):  # renaming over it would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        _write_special(target, data)
    elif status.st_nlink > 1 or not _replace(target, data, status):
        _overwrite(target, data)


def _replace(target: str, data: bytes, old: os.stat_result | None) -> bool:
    """Write beside the file and rename; false when the directory allows only writing in place."""
    try:
        fd, temporary = open_temporary(target, 0o666 if old is None else 0o600)
    except OSError as error:
        if old is not None and error.errno in _NO_ROOM_FOR_TEMPORARY:
            return False
        raise
    try:
        _fill(fd, data, old, target)
        os.replace(temporary, target)  # noqa: PTH105  (strings, as resolved)
    except BaseException as error:
        os.unlink(temporary)  # noqa: PTH108  (as above)
        if old is not None and isinstance(error, OSError) and error.errno in _RENAME_REFUSED:
            return False
        raise
    return True


def _fill(fd: int, data: bytes, old: os.stat_result | None, target: str) -> None:
    try:
        _write_all(fd, data)
        if old is not None:
            _keep_attributes(fd, old, target)
        os.fsync(fd)
    finally:
        os.close(fd)


def _keep_attributes(fd: int, old: os.stat_result, target: str) -> None:
    if sys.platform == "win32":
        return
    mode = stat.S_IMODE(old.st_mode)
    if not _keep_owner(fd, old):
        mode &= ~(stat.S_ISUID | stat.S_ISGID)  # they would now act for somebody else
    if sys.platform == "linux":
        _copy_extended_attributes(fd, target)
    os.fchmod(fd, mode)


def _keep_owner(fd: int, old: os.stat_result) -> bool:
    """Only root may give a file away; a group may be kept by its members."""
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return True
    for owner in (old.st_uid, -1):
        try:
            os.fchown(fd, owner, old.st_gid)
        except PermissionError:
            continue
        return owner != -1
    return False


def _copy_extended_attributes(fd: int, target: str) -> None:
    """Access lists and labels, as far as the file system and our rights go."""
    try:
        for name in os.listxattr(target):
            os.setxattr(fd, name, os.getxattr(target, name))
    except OSError as error:
        if error.errno not in {errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.ENODATA}:
            raise


def _overwrite(target: str, data: bytes) -> None:
    """Write over the old bytes, those past the old end first.

    A full disk or a size limit shows there, while the old content is still untouched and can be had back by
    cutting the file to its old length.
    """
    fd = os.open(target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        old_size = os.fstat(fd).st_size
        tail = min(old_size, max(len(data) - 1, 0))
        try:
            os.lseek(fd, tail, os.SEEK_SET)
            _write_all(fd, memoryview(data)[tail:])
        except OSError:
            os.ftruncate(fd, old_size)
            raise
        os.lseek(fd, 0, os.SEEK_SET)
        _write_all(fd, memoryview(data)[:tail])
        os.ftruncate(fd, len(data))
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_special(target: str, data: bytes) -> None:
    """A pipe nobody reads is an error instead of a wait without end."""
    fd = os.open(target, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if sys.platform != "win32":
            os.set_blocking(fd, True)
        _write_all(fd, data)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes | memoryview) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]
