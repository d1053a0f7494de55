"""Where the code of a candidate lies, found out without importing anything of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

from pihost.extensions.candidate import Candidate

__all__ = ["code_paths"]


def code_paths(candidate: Candidate) -> tuple[Path, ...]:
    """The files and directories that are the candidate's own.

    For a path that is the path itself. For an entry point it is the distribution's metadata and the top-level
    module or package that the entry point names, wherever an import would find it. What that imports in its
    turn, under names of its own, is not known without running it.

    Returns:
        Every path that exists or may come to exist; for a candidate that needs trust, at least one.
    """
    if candidate.path is not None:
        return (candidate.resolved or candidate.path,)
    metadata = () if candidate.metadata is None else (candidate.metadata,)
    return tuple(dict.fromkeys((*metadata, *_module_paths(candidate.entry_point or ""))))


def _module_paths(entry_point: str) -> Iterator[Path]:
    spec = _find_spec(entry_point.partition(":")[0].partition(".")[0].strip())
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        places = list(spec.submodule_search_locations)
    else:
        places = [spec.origin] if spec.has_location and spec.origin else []
    for place in map(Path, places):
        if place.exists():  # a name inside an archive does not; the archive is where the metadata is
            yield place.absolute()


def _find_spec(module: str) -> ModuleSpec | None:
    """Where a top-level module would come from; finding one runs nothing of it."""
    try:
        return importlib.util.find_spec(module) if module else None
    except Exception:  # noqa: BLE001 -- finders of anybody's may be asked; whoever imports it meets the same
        return None
