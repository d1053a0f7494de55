"""What an extension's module or entry point turns out to be: its setup and its hook implementations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from pihost.errors import PihostError
from pihost.extensions._private_modules import (
    ModuleGroup,
    import_file,
    import_installed,
    installed_group,
    private_group,
)
from pihost.extensions.candidate import Candidate, Source
from pihost.paths import canonical

__all__ = ["ExtensionLoadError", "Target", "modules_of", "open_target"]

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, functools.partial)
_WANTED = (
    "a module, a setup function, a class that can be made without arguments, "
    "or an instance with hook implementations"
)


class ExtensionLoadError(PihostError):
    """Something that was found is no extension.

    Attributes:
        problem: What is wrong with it and what would be right.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


class Target(NamedTuple):
    """What there is to load.

    Attributes:
        plugin: Where its hook implementations are, or ``None`` where there can be none.
        setup: Its ``setup``, if it has one.
        replaceable: It steps aside where another registers the same name.
    """

    plugin: object | None
    setup: Callable[[Any], Any] | None
    replaceable: bool


def modules_of(candidate: Candidate, cwd: Path) -> ModuleGroup:
    """The modules that opening the candidate will add.

    Args:
        candidate: What is to be opened.
        cwd: The project's directory.
    """
    source_only = _belongs_to_project(candidate, cwd)
    if candidate.path is not None:
        return private_group(candidate.path, source_only=source_only)
    return installed_group(_entry_point(candidate)[0], source_only=source_only)


def _belongs_to_project(candidate: Candidate, cwd: Path) -> bool:
    """Whether its files may be among those that an approval of the project is bound to.

    So may be a file given with ``-e``. The user's own directory is not, also where the project is their home.
    """
    if candidate.from_project or candidate.source is Source.LOCAL:
        return True
    resolved = candidate.resolved if candidate.source is Source.CONFIGURED else None
    return resolved is not None and resolved.is_relative_to(canonical(cwd))


def open_target(candidate: Candidate, group: ModuleGroup) -> Target:
    """Import the candidate and see what it is. Whatever its code raises is passed on.

    Raises:
        ExtensionLoadError: it is nothing that can be loaded, or its ``setup`` cannot be called.
    """
    if candidate.path is not None:
        found: object = import_file(candidate.path, group)
    else:
        module, attributes = _entry_point(candidate)
        found = functools.reduce(getattr, attributes, import_installed(module, group))
    if isinstance(found, ModuleType):
        names = vars(found)  # where a name is not there, getattr() takes as long as all of this
        setup, replaceable = names.get("setup"), names.get("pihost_replaceable") is True
        return Target(plugin=found, setup=_checked(setup), replaceable=replaceable or candidate.replaceable)
    replaceable = candidate.replaceable or getattr(found, "pihost_replaceable", None) is True
    if isinstance(found, _FUNCTIONS):
        return Target(plugin=None, setup=_checked(found), replaceable=replaceable)
    plugin = _instance(found)
    return Target(plugin=plugin, setup=_checked(getattr(plugin, "setup", None)), replaceable=replaceable)


def _entry_point(candidate: Candidate) -> tuple[str, list[str]]:
    value = (candidate.entry_point or "").partition("[")[0].strip()
    module, _, attributes = value.partition(":")
    return module.strip(), [part.strip() for part in attributes.split(".") if part.strip()]


def _instance(found: object) -> object:
    if isinstance(found, type):
        try:
            inspect.signature(found).bind()
        except ValueError:
            return found()  # no signature to ask: calling it tells
        except TypeError:
            problem = f"the class {found.__name__} cannot be made without arguments; it should be {_WANTED}"
            raise ExtensionLoadError(problem) from None
        return found()
    if found is None or type(found).__module__ == "builtins":
        raise ExtensionLoadError(f"the entry point is of type {type(found).__name__}; it should be {_WANTED}")
    return found


def _is_plain(setup: object) -> bool:
    """Whether it is ``def setup(api)`` or ``async def setup(api)``: asking its signature takes far longer."""
    if not isinstance(setup, FunctionType) or hasattr(setup, "__wrapped__"):
        return False
    code = setup.__code__
    generates = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR)
    return code.co_argcount == 1 and code.co_kwonlyargcount == 0 and not generates


def _checked(setup: object) -> Callable[[Any], Any] | None:
    if setup is None:
        return None
    if not callable(setup):
        problem = f"setup is of type {type(setup).__name__}, not a function; define setup(api)"
        raise ExtensionLoadError(problem)
    if _is_plain(setup):
        return setup
    try:
        inspect.signature(setup).bind(object())
    except ValueError:
        return setup  # no signature to ask: calling it tells
    except TypeError:
        problem = f"setup{inspect.signature(setup)} must be callable with one argument: setup(api)"
        raise ExtensionLoadError(problem) from None
    wrapped = inspect.unwrap(setup)
    if inspect.isgeneratorfunction(wrapped) or inspect.isasyncgenfunction(wrapped):
        raise ExtensionLoadError("setup is a generator, so calling it runs nothing; write it without yield")
    return setup
