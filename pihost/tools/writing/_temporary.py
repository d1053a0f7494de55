"""The temporary file beside a file being written, and what killed writers have left of such files."""

import os
import secrets
import stat
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

__all__ = ["open_temporary"]

_ABANDONED_SECONDS = 60.0
"""A file nobody has written to for so long is taken to be left by a writer that was killed. Should its writer
only be very slow, its rename fails, which is an error, and the old content stays."""

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def open_temporary(target: str, mode: int) -> tuple[int, str]:
    """Make a new file in the directory of another.

    Its name is the same for every write of the same file, so what a killed writer has left is met by the next
    one, and removed, without a look through the directory. Only where something is in the way is the name
    random; and only where that was abandoned is the directory searched for others of its kind.

    Args:
        target: The file that is going to be replaced.
        mode: Permissions, as far as the umask allows them.

    Returns:
        A descriptor to write to, and the file's path.

    Raises:
        OSError: It cannot be made.
    """
    directory, name = os.path.split(target)
    prefix = f".pihost-{blake2b(os.fsencode(name), digest_size=8).hexdigest()}"
    usual = f"{directory}/{prefix}.tmp"
    try:
        return os.open(usual, _NEW_FILE, mode), usual
    except FileExistsError:
        if _is_abandoned(usual):
            _remove_abandoned(directory, prefix)
    other = f"{directory}/{prefix}-{secrets.token_hex(8)}.tmp"
    return os.open(other, _NEW_FILE, mode), other


def _remove_abandoned(directory: str, prefix: str) -> None:
    # Another process may be tidying up as well, and remains are no reason not to write.
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and _is_abandoned(entry.path):
                Path(entry.path).unlink()


def _is_abandoned(path: str) -> bool:
    """Whether it is a file of this user's that nobody is writing to."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return ours and stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > _ABANDONED_SECONDS
