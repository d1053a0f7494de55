"""How the modules of extensions are found and read: which bytecode counts, and which is kept."""

from __future__ import annotations

import functools
import marshal
import os
import struct
import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import attrs

from pihost.extensions._file_reading import read_file

__all__ = [
    "NEIGHBOURHOODS",
    "PREFIX",
    "SOURCE_PREFIX",
    "PrivateFinder",
    "SourceFinder",
    "file_spec",
    "new_module",
    "packages_around",
]

PREFIX = "_pihost_extension_"
"""How the name of a module begins that was made up for an extension's file."""

SOURCE_PREFIX = f"{PREFIX}source_"
"""How it begins where the file and its neighbours are read from their source alone."""

NEIGHBOURHOODS: dict[str, str] = {}
"""Packages that stand for a directory, by name: what lies there is a neighbour of an extension's one file.

They come to be with the first relative import; most files have none.
"""

_PLAIN_BYTECODE = MAGIC_NUMBER + bytes(4)
"""How bytecode begins that goes by the time and size of its source."""

_32_BITS = 0xFFFF_FFFF

_SETTLED = 2.0
"""Seconds after which the source can no longer change unseen by its bytecode."""


class _FreshLoader(SourceFileLoader):
    """Keeps no bytecode of a file that was changed a moment ago.

    Bytecode is matched to its source by size and whole seconds: a second edit of the same size within the
    same second would go unseen at a reload.

    Attributes:
        bytecode: Where bytecode of the file would be; ``None`` where Python keeps none.
        found: What the file was like when it was found, a moment ago.
    """

    bytecode: str | None = None
    found: os.stat_result | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        """The module's code, from its bytecode if that is right."""
        found, self.found = self.found, None
        return _code_of(self.path, self.bytecode, found) or super().get_code(fullname)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write bytecode, if the source can no longer change unseen."""
        if self.path_stats(self.path)["mtime"] < time.time() - _SETTLED:
            super().set_data(path, data, _mode=_mode)


def _code_of(path: str, bytecode: str | None, found: os.stat_result | None) -> CodeType | None:
    """The code of a file, from bytecode that was made of it as it is now; ``None`` where that is not plain.

    This is what ``SourceFileLoader`` does in twice the time, since it reads through a buffer. Bytecode of any
    other kind is left to it.
    """
    if bytecode is None:
        return None
    try:
        source = found or os.stat(path)  # noqa: PTH116 -- a string is cheaper
        data = read_file(bytecode)
    except OSError:  # not compiled yet
        return None
    stamp = struct.pack("<2L", int(source.st_mtime) & _32_BITS, source.st_size & _32_BITS)
    if data[:16] != _PLAIN_BYTECODE + stamp:
        return None
    code = marshal.loads(memoryview(data)[16:])  # noqa: S302 -- as every import does
    return code if isinstance(code, CodeType) and code.co_filename == path else None


class _SourceLoader(SourceFileLoader):
    """Reads a module from its source alone.

    Bytecode that came with a checkout would run in the place of the source that was approved, and bytecode
    written beside it would change the files that an approval is bound to.
    """

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, compiled now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


@functools.lru_cache(maxsize=64)
def _around_bytecode(directory: str, _prefix: str | None) -> tuple[str, str]:
    """What comes before and after a module's name where Python keeps its bytecode.

    Raises:
        NotImplementedError: this Python keeps none.
    """
    before, _, after = cache_from_source(f"{directory}/*.py").rpartition("*")
    return before, after


def _bytecode_of(path: str) -> str | None:
    """Where bytecode of a file would be: what ``cache_from_source`` says, asked once for a directory."""
    directory, _, name = path.rpartition("/")
    if not name.endswith(".py") or os.sep != "/":
        return None
    try:
        before, after = _around_bytecode(directory, sys.pycache_prefix)
    except NotImplementedError:
        return None
    return f"{before}{name[:-3]}{after}"


def file_spec(
    name: str, path: str, search: list[str] | None = None, found: os.stat_result | None = None
) -> tuple[ModuleSpec, SourceFileLoader]:
    """How a file is loaded under a private name: what ``spec_from_file_location`` makes, and the loader.

    Args:
        name: The name.
        path: The file, absolute.
        search: Where the modules below it are, if it is a package.
        found: What the file is like, if that was asked a moment ago.
    """
    loader = (_SourceLoader if name.startswith(SOURCE_PREFIX) else _FreshLoader)(name, path)
    spec = ModuleSpec(name, loader, origin=path)
    spec.has_location = True
    spec.submodule_search_locations = search
    if isinstance(loader, _FreshLoader):
        loader.bytecode = spec.cached = _bytecode_of(path) or spec.cached
        loader.found = found
    return spec, loader


def new_module(spec: ModuleSpec) -> ModuleType:
    """An empty module, like one of ``importlib.util.module_from_spec``, which takes three times as long.

    Args:
        spec: Made by ``file_spec``.
    """
    module = ModuleType(spec.name)
    module.__dict__.update(
        __spec__=spec,
        __loader__=spec.loader,
        __package__=spec.parent,
        __file__=spec.origin,
        __cached__=spec.cached,
    )
    if spec.cached is None:
        del module.__dict__["__cached__"]
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    return module


@functools.lru_cache(maxsize=64)
def packages_around(directory: str) -> tuple[Path, ...]:
    """The packages that the files of a directory belong to, the outermost first; none for most.

    Kept until ``importlib.invalidate_caches``, as what is found in a directory is everywhere in Python.
    """
    parent, name = os.path.split(directory)
    if not name or not os.path.isfile(f"{directory}/__init__.py"):  # noqa: PTH113 -- a string is cheaper
        return ()
    return (*packages_around(parent), Path(directory))


class PrivateFinder:
    """Finds the further modules of an extension that has a private name, to be loaded like its first."""

    @staticmethod
    def invalidate_caches() -> None:
        """Look anew which directories are packages; ``importlib.invalidate_caches`` calls it."""
        packages_around.cache_clear()

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual finding, with the loader replaced; ``None`` for whatever is no extension's."""
        if not name.startswith(PREFIX):
            return None
        if name in NEIGHBOURHOODS:
            around = ModuleSpec(name, None, is_package=True)
            around.submodule_search_locations = [NEIGHBOURHOODS[name]]
            return around
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return spec
        return file_spec(name, spec.loader.path, spec.submodule_search_locations)[0]


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
