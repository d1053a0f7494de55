"""Names of other people's files, made fit to be shown: nothing in them moves the cursor or starts a line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pihost.display import escaped

__all__ = ["shown", "shown_list", "shown_within"]

_LONGEST_LIST = 12
"""Names a sentence may hold before it stops being read."""


def shown(name: str | os.PathLike[str]) -> str:
    """``name`` with every character escaped that is not printable, direction marks included."""
    return escaped(os.fspath(name))


def shown_within(path: Path, folder: Path) -> str:
    """``path`` as it reads from ``folder``, in full where it lies outside."""
    return shown(path.relative_to(folder) if path.is_relative_to(folder) else path)


def shown_list(names: Iterable[str]) -> str:
    """The names in a row, the many after the first few as a number."""
    every = [shown(name) for name in names]
    more = len(every) - _LONGEST_LIST
    return ", ".join(every[:_LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")
