"""What all imports of a process go by: the search path, the finders, the modules, the builtins."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from pihost.extensions._module_loading import PREFIX, PrivateFinder, SourceFinder
from pihost.extensions.containment.piece import Piece, whole

__all__ = ["BUILTINS", "FINDERS", "PATH", "PATH_HOOKS", "Modules", "added_places"]

_PACKAGE = str(Path(__file__).parents[2]) + os.sep
_PYTHON = (sys.prefix + os.sep, sys.base_prefix + os.sep, str(Path(os.__file__).parent) + os.sep)


class Modules:
    """The modules there are. One that others have imported is not replaced, and none takes another's name."""

    def __init__(self) -> None:
        self._known = sys.modules.copy()
        self._in_order = list(sys.modules.values())

    def put_back(self, places: tuple[str, ...] = ()) -> str:
        """Put back what was replaced or removed, and take away what others would import instead of theirs.

        Args:
            places: Where only the extension looks for modules.

        Returns:
            What had changed, as a noun; what is new and harms nobody is known from now on.
        """
        # One in the place of another keeps its rank, and new ones come last.
        count = len(sys.modules) - len(self._known)
        new = dict(islice(reversed(sys.modules.items()), max(0, count)))
        self._in_order.extend(reversed(new.values()))
        changed: list[str] = []
        if self._in_order != list(sys.modules.values()):
            changed = [name for name, module in self._known.items() if sys.modules.get(name) is not module]
            sys.modules.update({name: self._known[name] for name in changed})
            new = {name: module for name, module in sys.modules.items() if name not in self._known}
        foreign = [name for name, module in new.items() if _is_foreign(name, module, places)]
        for name in foreign:
            del sys.modules[name], new[name]
        self._known.update(reversed(new.items()))
        if changed or foreign:
            self._in_order = list(sys.modules.values())
        return f"sys.modules ({', '.join(sorted((*changed, *foreign)))})" if changed or foreign else ""


def added_places(before: Iterable[str]) -> tuple[str, ...]:
    """Directories that have come to the search path, which are asked for modules now."""
    added = set(sys.path).difference(before)
    return tuple(os.path.abspath(entry) + os.sep for entry in added)  # noqa: PTH100 -- a string is enough


def _finders() -> tuple[Any, ...]:
    """Whoever finds modules, without the host's own, which serve nobody else."""
    return tuple([one for one in sys.meta_path if one is not PrivateFinder and type(one) is not SourceFinder])


def _put_finders(before: tuple[Any, ...]) -> str:
    now = _finders()
    if now[: len(before)] == before:  # one that comes last is asked for nobody else's modules
        return ""
    own = [one for one in sys.meta_path if one not in now]
    sys.meta_path[:] = [*own, *before]
    return "sys.meta_path"


def _put_path(before: tuple[str, ...]) -> None:
    sys.path[:] = before


def _put_path_hooks(before: tuple[Any, ...]) -> None:
    sys.path_hooks[:] = before


def _is_foreign(name: str, module: Any, places: tuple[str, ...]) -> bool:
    """Whether a module lies where only its extension looks, or bears a name that is not its own."""
    if name.startswith(PREFIX):
        return False
    root = name.partition(".")[0]
    if root == "pihost":
        return not _origin(module).startswith(_PACKAGE)
    if root == name and root in sys.stdlib_module_names:
        origin = _origin(module)
        own = origin in {"built-in", "frozen"} or origin.startswith(_PYTHON)
        return not own or module.__spec__.name != name
    return bool(places) and _origin(module).startswith(places)


def _origin(module: object) -> str:
    """Where a module was found; a package without a file of its own, by its directory."""
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if isinstance(origin, str):
        return origin
    return next((f"{place}{os.sep}" for place in getattr(spec, "submodule_search_locations", None) or ()), "")


def _builtins() -> tuple[tuple[str, ...], tuple[Any, ...]]:
    now = vars(builtins)
    return tuple(now), tuple(now.values())  # these compare ten times as fast as dictionaries


def _put_builtins(before: tuple[tuple[str, ...], tuple[Any, ...]]) -> str:
    """A name that is new there is nobody else's."""
    now, known = vars(builtins), dict(zip(*before, strict=True))
    changed = [name for name, value in known.items() if now.get(name, now) is not value]
    now.update({name: known[name] for name in changed})
    return f"builtins ({', '.join(changed)})" if changed else ""


PATH = whole("sys.path", lambda: tuple(sys.path), _put_path)
PATH_HOOKS = whole("sys.path_hooks", lambda: tuple(sys.path_hooks), _put_path_hooks)
FINDERS = Piece(_finders, _put_finders)
BUILTINS = Piece(_builtins, _put_builtins)
