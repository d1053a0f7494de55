"""How a tool says that it could not do what it was asked to."""

from __future__ import annotations

import errno
import os

from pihost.errors import PihostError

__all__ = ["ToolFailedError", "file_failure"]

_REASONS = {
    errno.ENOENT: "there is no such file or directory",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
    errno.EISDIR: "it is a directory",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "the path is a loop of symbolic links",
    errno.ENOSPC: "the disk is full",
    errno.ENAMETOOLONG: "the name is too long",
}


class ToolFailedError(PihostError):
    """A tool cannot do what it was asked to; the pipeline makes it an error result.

    Attributes:
        message: Why, and what would be right, for the model.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message


def file_failure(doing: str, path: str | os.PathLike[str], fault: OSError | ValueError) -> ToolFailedError:
    """The failure of an operation on a file.

    Args:
        doing: What was to be done, such as ``"read"``.
        path: The file, as the model should know it.
        fault: What the system said; a ``ValueError`` is its word on a NUL in a name.
    """
    reason = _REASONS.get(fault.errno or 0) if isinstance(fault, OSError) else None
    if reason is None:
        reason = getattr(fault, "strerror", None) or str(fault)
    return ToolFailedError(f"Cannot {doing} {os.fspath(path)}: {reason}.")
