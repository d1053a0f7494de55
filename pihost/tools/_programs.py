"""Finding programs where the user put them, never where a project could."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["find_program"]


def find_program(*names: str) -> Path | None:
    """The first program of these names on the search path, or ``None``.

    Relative entries of the path, the empty one included, are left out: they would find what lies in the
    working directory, and so would Windows, which looks there first.

    Args:
        names: Names without directory or extension, best first.
    """
    directories = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    endings = (".exe", ".cmd", ".bat") if sys.platform == "win32" else ("",)
    for name in names:
        for directory in directories:
            if not directory.is_absolute():
                continue
            for ending in endings:
                candidate = directory / f"{name}{ending}"
                if candidate.is_file() and os.access(candidate, os.X_OK):
                    return candidate
    return None
