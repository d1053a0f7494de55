"""Where the lock files live: one private directory per user, the same for every host of that user."""

import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pihost.paths import make_private_dir

__all__ = ["default_lock_dir", "prepare_lock_dir"]


def default_lock_dir(environ: Mapping[str, str]) -> Path:
    """The directory every host of this user shares; it need not exist yet.

    Args:
        environ: The environment, for ``XDG_RUNTIME_DIR``.

    Returns:
        ``$XDG_RUNTIME_DIR/pihost-locks`` where that directory exists, else ``<tmp>/pihost-<uid>/locks``.
    """
    runtime = Path(environ.get("XDG_RUNTIME_DIR", ""))
    if runtime.is_absolute() and runtime.is_dir():
        return runtime / "pihost-locks"
    owner = (
        "user" if sys.platform == "win32" else str(os.getuid())
    )  # temp directories of Windows are per user
    return Path(tempfile.gettempdir()) / f"pihost-{owner}" / "locks"


def prepare_lock_dir(path: Path) -> str | None:
    """Make the directory if it is missing and see that it is this user's own.

    The host calls this once and turns the answer into a warning; it then hands no directory to
    `file_mutation_queue`, which leaves the line within the process.

    Args:
        path: The directory. Missing parents are made too, all with mode 0700.

    Returns:
        ``None`` when it can be used, else a sentence that says why not.
    """
    try:
        make_private_dir(path)
        return _fault(path)
    except OSError as error:
        return f"The lock directory {path} cannot be made: {error.strerror or error}."


def _fault(path: Path) -> str | None:
    """Somebody else's directory could be swapped for a link under our feet."""
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return f"The lock directory {path} is a symbolic link; it must be a directory."
    if sys.platform == "win32":
        return None
    if status.st_uid != os.geteuid() or path.parent.stat().st_uid not in {0, os.geteuid()}:
        return f"The lock directory {path} or its parent belongs to another user."
    if status.st_mode & stat.S_IWOTH:
        return f"The lock directory {path} can be written by everybody; its mode must be 0700."
    return None
