"""Finding the session that a directory was left with."""

from __future__ import annotations

from pathlib import Path

from pihost.paths import slug
from pihost.session._codec import NotARecordError
from pihost.session._header import beginning_of, split_header

__all__ = ["newest_file"]


def newest_file(directory: Path, cwd: Path) -> Path | None:
    """The file of the session of ``cwd`` that was written last; ``None`` where there is none.

    Args:
        directory: Where the sessions of all directories are kept.
        cwd: The directory the session works in, absolute.
    """
    return next((path for path in _newest_first(directory / slug(cwd)) if _belongs(path, cwd)), None)


def _newest_first(folder: Path) -> list[Path]:
    dated = [(_written(path), path.name, path) for path in folder.glob("*.jsonl")]
    return [path for written, _, path in sorted(dated, reverse=True) if written]


def _written(path: Path) -> int:
    """When a file was written last; 0 for one that went away just now, and a link that leads nowhere."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _belongs(path: Path, cwd: Path) -> bool:
    """Whether a file is a session of ``cwd``: two directories may share a folder's name."""
    try:
        header, _rest = split_header(beginning_of(path))
    except (OSError, NotARecordError):
        return False
    return header.cwd == str(cwd)
