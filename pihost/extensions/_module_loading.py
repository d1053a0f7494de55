"""How the modules of extensions are found and read: which bytecode counts, and which is kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

import attrs

__all__ = ["PREFIX", "SOURCE_PREFIX", "PrivateFinder", "SourceFinder", "loader_of"]

PREFIX = "_pihost_extension_"
"""How the name of a module begins that was made up for an extension's file."""

SOURCE_PREFIX = f"{PREFIX}source_"
"""How it begins where the file and its neighbours are read from their source alone."""

_SETTLED = 2.0
"""Seconds after which the source can no longer change unseen by its bytecode."""


class _FreshLoader(SourceFileLoader):
    """Keeps no bytecode of a file that was changed a moment ago.

    Bytecode is matched to its source by size and whole seconds: a second edit of the same size within the
    same second would go unseen at a reload.
    """

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write bytecode, if the source can no longer change unseen."""
        if self.path_stats(self.path)["mtime"] < time.time() - _SETTLED:
            super().set_data(path, data, _mode=_mode)


class _SourceLoader(SourceFileLoader):
    """Reads a module from its source alone.

    Bytecode that came with a checkout would run in the place of the source that was approved, and bytecode
    written beside it would change the files that an approval is bound to.
    """

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, compiled now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def loader_of(name: str, path: str) -> SourceFileLoader:
    """The loader for a file under a private name."""
    return (_SourceLoader if name.startswith(SOURCE_PREFIX) else _FreshLoader)(name, path)


class PrivateFinder:
    """Finds the further modules of an extension that has a private name, to be loaded like its first."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual finding, with the loader replaced; ``None`` for whatever is no extension's."""
        if not name.startswith(PREFIX):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = loader_of(spec.loader.name, spec.loader.path)
        return spec


@attrs.frozen
class SourceFinder:
    """Has the modules of a distribution that belongs to the project read from their source alone.

    Attributes:
        root: The top-level name they are under.
    """

    root: str

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the finders after this one find, with the loader replaced; ``None`` for other modules."""
        if name.partition(".")[0] != self.root:
            return None
        for finder in tuple(sys.meta_path):
            if isinstance(finder, SourceFinder) or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if isinstance(spec.loader, SourceFileLoader):
                    spec.loader = _SourceLoader(spec.loader.name, spec.loader.path)
                return spec
        return None
