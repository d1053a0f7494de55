"""Imports an extension's file under a name that nothing else can have, and takes modules back."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

__all__ = ["ModuleGroup", "forget", "import_file", "installed_group", "private_group"]

_PREFIX = "_pihost_extension_"
_NUMBERS = itertools.count(1)
_SETTLED = 2.0


@attrs.frozen(kw_only=True)
class ModuleGroup:
    """The modules that came with one extension.

    Attributes:
        root: The top-level name they are under.
        kept: Names under it that were there before and stay.
        private: The name was made up for this extension.
    """

    root: str
    kept: frozenset[str] = frozenset()
    private: bool = True


def private_group(path: Path) -> ModuleGroup:
    """A name for the modules of a file or package directory. No two calls give the same."""
    return ModuleGroup(root=f"{_PREFIX}{next(_NUMBERS)}_{_identifier(path)}")


def installed_group(module: str) -> ModuleGroup:
    """The modules that importing ``module`` by its own name will add."""
    root = module.partition(".")[0]
    kept = frozenset(name for name in tuple(sys.modules) if name.partition(".")[0] == root)
    return ModuleGroup(root=root, kept=kept, private=False)


def forget(groups: Iterable[ModuleGroup]) -> None:
    """Take the modules of these groups out of ``sys.modules``."""
    kept: dict[str, frozenset[str]] = {}
    for group in groups:
        kept[group.root] = kept.get(group.root, group.kept) & group.kept
    if not kept:
        return
    for name in tuple(sys.modules):
        root = name.partition(".")[0]
        if root in kept and name not in kept[root]:
            sys.modules.pop(name, None)


def import_file(path: Path, group: ModuleGroup) -> ModuleType:
    """Import a file or a package directory under the group's name. ``sys.path`` plays no part.

    A file beside an ``__init__.py`` is a module of that package, as everywhere in Python; relative imports of
    any other file find its neighbours.

    Args:
        path: The file or directory.
        group: Made for it by ``private_group``.

    Returns:
        The module. Whatever its code raises is passed on, and the caller then forgets the group.
    """
    if _FreshFinder not in sys.meta_path:
        sys.meta_path.insert(0, _FreshFinder)
    directory = path.parent if path.name == "__init__.py" else path
    if directory.is_dir():
        return _execute(group.root, directory / "__init__.py", [str(directory)])
    packages = _packages_around(path)
    parent = _import_packages(packages, group.root) if packages else _neighbourhood(path.parent, group.root)
    return _execute(f"{parent}.{_identifier(path)}", path, None)


def _identifier(path: Path) -> str:
    return re.sub(r"\W", "_", path.stem)


def _packages_around(file: Path) -> list[Path]:
    found: list[Path] = []
    directory = file.parent
    while (directory / "__init__.py").is_file() and directory.name:
        found.insert(0, directory)
        directory = directory.parent
    return found


def _import_packages(packages: Sequence[Path], root: str) -> str:
    _execute(root, packages[0] / "__init__.py", [str(packages[0])])
    name = ".".join((root, *(directory.name for directory in packages[1:])))
    importlib.import_module(name)
    return name


def _neighbourhood(directory: Path, name: str) -> str:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = [str(directory)]
    sys.modules[name] = module
    return name


def _execute(name: str, file: Path, search: list[str] | None) -> ModuleType:
    loader = _FreshLoader(name, str(file))
    spec = importlib.util.spec_from_file_location(
        name, file, loader=loader, submodule_search_locations=search
    )
    if spec is None:
        raise ImportError(f"{file} is nothing that Python can import", name=name, path=str(file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


class _FreshLoader(SourceFileLoader):
    """Keeps no bytecode of a file that was changed a moment ago.

    Bytecode is matched to its source by size and whole seconds: a second edit of the same size within the
    same second would go unseen at a reload.
    """

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write bytecode, if the source can no longer change unseen."""
        if self.path_stats(self.path)["mtime"] < time.time() - _SETTLED:
            super().set_data(path, data, _mode=_mode)


class _FreshFinder:
    """Finds the further modules of an extension, to be loaded like its first."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual finding, with the loader replaced; ``None`` for whatever is no extension's."""
        if not name.startswith(_PREFIX):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _FreshLoader(spec.loader.name, spec.loader.path)
        return spec
