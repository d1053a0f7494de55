"""The one name of a file: its path with every symbolic link followed, whether it exists yet or not."""

import errno
import os
import stat
import sys

__all__ = ["resolve_strict"]

_MAX_LINKS = 40
"""Links followed before a path counts as a loop; Linux gives up at the same number."""


def resolve_strict(path: str | os.PathLike[str]) -> tuple[str, os.stat_result | None]:
    """Follow every link of a path; only "not there" is not an error.

    What does not exist stays in the result as it was written, below the deepest directory that does exist, so
    that the name is the same before and after the file is created.

    Args:
        path: The path, taken from the working directory when it is relative.

    Returns:
        The canonical path, and the status of what is there (``None`` when nothing is).

    Raises:
        OSError: A loop of links, a directory that may not be searched, a path through a file.
        ValueError: A NUL in the path.
    """
    text = os.fspath(path)
    if sys.platform == "win32":
        return _resolve_by_library(text)
    return _walk(text)


def _resolve_by_library(path: str) -> tuple[str, os.stat_result | None]:
    """Drives, shares and reparse points are the standard library's business."""
    resolved = os.path.normcase(os.path.realpath(path))
    try:
        return resolved, os.stat(path)  # noqa: PTH116  (the rest of this module works on strings, for speed)
    except FileNotFoundError:
        return resolved, None


def _walk(path: str) -> tuple[str, os.stat_result | None]:
    """One ``lstat`` a component, which also tells whether the last one has several hard links."""
    resolved = "" if path.startswith("/") else _working_directory()
    pending = path.split("/")[::-1]
    status: os.stat_result | None = None
    links = 0
    while pending:
        name = pending.pop()
        if name in {"", "."}:
            continue
        if name == "..":
            resolved, status = resolved.rpartition("/")[0], None
            continue
        candidate = f"{resolved}/{name}"
        try:
            status = os.lstat(candidate)
        except FileNotFoundError:
            resolved, status = candidate, None
            continue
        if not stat.S_ISLNK(status.st_mode):
            resolved = candidate
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        target = os.readlink(candidate)  # noqa: PTH115  (as above)
        pending.extend(target.split("/")[::-1])
        resolved, status = ("" if target.startswith("/") else resolved), None
    return resolved or "/", status


def _working_directory() -> str:
    """The kernel gives it without links; the root as nothing, because every name brings its own slash."""
    return os.getcwd().rstrip("/")  # noqa: PTH109  (as above)
