"""Paths and names that more than one floor computes the same way."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["absolute", "canonical", "make_private_dir", "normalize_name", "slug"]

_SEPARATORS = re.compile(r"[-_.]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def normalize_name(name: str) -> str:
    """A distribution's or extension's name in the form in which names compare (PEP 503)."""
    return _SEPARATORS.sub("-", name).lower()


def absolute(path: str | os.PathLike[str], base: Path) -> Path:
    """``path`` with ``~`` expanded, absolute from ``base``; links are kept, ``.`` and ``..`` are not."""
    expanded = os.path.expanduser(path)  # noqa: PTH111 -- Path.expanduser() raises for a user who is not there
    return Path(os.path.abspath(base / expanded))  # noqa: PTH100 -- resolve() follows links


def canonical(path: Path) -> Path:
    """The one path of what ``path`` leads to, links followed as far as they exist.

    Raises:
        OSError: a loop of links.
    """
    return Path(os.path.realpath(path))


def slug(path: Path) -> str:
    """A directory name that stands for ``path``, readable and safe on every file system."""
    return _UNSAFE.sub("-", str(path)).strip("-") or "root"


def make_private_dir(path: Path) -> None:
    """Make ``path`` and what is missing above it, all with mode 0700; what is there stays as it is.

    Raises:
        OSError: it cannot be made, or something else is there.
    """
    if path.is_dir():
        return
    if not path.parent.exists():
        make_private_dir(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
