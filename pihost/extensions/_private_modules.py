"""Imports an extension's file under a name that nothing else can have, and takes modules back."""

from __future__ import annotations

import importlib
import itertools
import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

import attrs

from pihost._values import Value
from pihost.extensions._module_loading import (
    NEIGHBOURHOODS,
    PREFIX,
    SOURCE_PREFIX,
    PrivateFinder,
    SourceFinder,
    file_spec,
    new_module,
    packages_around,
)

__all__ = ["ModuleGroup", "forget", "import_file", "import_installed", "installed_group", "private_group"]

_NUMBERS = itertools.count(1)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ModuleGroup(Value):
    """The modules that came with one extension.

    Attributes:
        root: The top-level name they are under.
        kept: Names under it that were there before and stay.
        private: The name was made up for this extension.
        source_only: They are read from their source, whatever bytecode there is, and none is written.
    """

    root: str
    kept: frozenset[str] = frozenset()
    private: bool = True
    source_only: bool = False


def private_group(path: Path, *, source_only: bool = False) -> ModuleGroup:
    """A name for the modules of a file or package directory. No two calls give the same."""
    prefix = SOURCE_PREFIX if source_only else PREFIX
    return ModuleGroup(root=f"{prefix}{next(_NUMBERS)}_{_identifier(str(path))}", source_only=source_only)


def installed_group(module: str, *, source_only: bool = False) -> ModuleGroup:
    """The modules that importing ``module`` by its own name will add."""
    root = module.partition(".")[0]
    if root not in sys.modules:  # as most often: whoever imports a module has imported its root before
        return ModuleGroup(root=root, private=False, source_only=source_only)
    kept = frozenset(name for name in tuple(sys.modules) if name.partition(".")[0] == root)
    return ModuleGroup(root=root, kept=kept, private=False, source_only=source_only)


def forget(groups: Iterable[ModuleGroup]) -> None:
    """Take the modules of these groups out of ``sys.modules``."""
    kept: dict[str, frozenset[str]] = {}
    for group in groups:
        if group.source_only and not group.private and SourceFinder(group.root) in sys.meta_path:
            sys.meta_path.remove(SourceFinder(group.root))  # one of them: another host may have its own
        NEIGHBOURHOODS.pop(group.root, None)
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
    if PrivateFinder not in sys.meta_path:
        sys.meta_path.insert(0, PrivateFinder)
    text = str(path)
    found = os.stat(text)  # noqa: PTH116 -- a string is cheaper
    directory, name = os.path.split(text)
    if name == "__init__.py" or stat.S_ISDIR(found.st_mode):
        package = path.parent if name == "__init__.py" else path
        return _execute(group.root, package / "__init__.py", [str(package)])
    packages = packages_around(directory)
    if packages:
        parent = _import_packages(packages, group.root)
    else:
        parent = group.root
        NEIGHBOURHOODS[parent] = directory
    return _execute(f"{parent}.{_identifier(name)}", path, None, found)


def import_installed(module: str, group: ModuleGroup) -> ModuleType:
    """Import a module by its own name.

    Args:
        module: Its name.
        group: Made for it by ``installed_group``.

    Returns:
        The module. Whatever its code raises is passed on, and the caller then forgets the group.
    """
    if group.source_only:
        sys.meta_path.insert(0, SourceFinder(group.root))
    return importlib.import_module(module)


def _identifier(path: str) -> str:
    stem = path.rpartition(os.sep)[2].removesuffix(".py")
    return stem if stem.isidentifier() else re.sub(r"\W", "_", stem)


def _import_packages(packages: Sequence[Path], root: str) -> str:
    _execute(root, packages[0] / "__init__.py", [str(packages[0])])
    name = ".".join((root, *(directory.name for directory in packages[1:])))
    importlib.import_module(name)
    return name


def _execute(
    name: str, file: Path, search: list[str] | None, found: os.stat_result | None = None
) -> ModuleType:
    spec, loader = file_spec(name, str(file), search, found)
    module = new_module(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
