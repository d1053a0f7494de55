"""Which paths a configuration keeps read-only."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

__all__ = ["covering_pattern"]


def covering_pattern(path: str, patterns: Iterable[str], cwd: Path) -> str | None:
    """The pattern that keeps ``path`` read-only, or ``None``.

    A tool may read a path in more than one way (a leading ``@``, ``~``, Unicode spaces, links); if any of
    them is covered, the path is.

    Args:
        path: As the call gives it.
        patterns: As the user configured them.
        cwd: The project's directory, from which both are read.
    """
    readings = list(_readings(path, cwd))
    for pattern in patterns:
        if any(_covers(pattern, reading, cwd) for reading in readings):
            return pattern
    return None


def _readings(path: str, cwd: Path) -> Iterator[Path]:
    plain = "".join(" " if unicodedata.category(char) == "Zs" else char for char in path)
    for text in dict.fromkeys((path, plain, path.removeprefix("@"), plain.removeprefix("@"))):
        literal = Path(os.path.abspath(cwd / text))  # noqa: PTH100 -- links are followed below
        yield literal
        yield Path(os.path.realpath(literal))
        if text.startswith("~"):
            expanded = Path(text).expanduser()
            yield expanded
            yield Path(os.path.realpath(expanded))


def _covers(pattern: str, path: Path, cwd: Path) -> bool:
    if "/" not in pattern.rstrip("/"):
        parts = path.relative_to(cwd).parts if path.is_relative_to(cwd) else path.parts
        return any(fnmatchcase(part, pattern.rstrip("/")) for part in parts)
    absolute = os.path.abspath(cwd / Path(pattern).expanduser())  # noqa: PTH100 -- both forms are compared
    forms = (absolute, os.path.realpath(absolute))
    return any(fnmatchcase(str(place), form) for place in (path, *path.parents) for form in forms)
