"""The two decorators of the hook system: one for who answers a hook, one for who declares it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, get_args

import pluggy

from pihost.hooks.errors import HookspecError
from pihost.hooks.marks import PROJECT

__all__ = ["KIND_ATTRIBUTE", "Kind", "hookimpl", "hookspec"]

KIND_ATTRIBUTE: Final = "pihost_kind"
"""Where a hookspec carries its kind."""

Kind = Literal["notify", "chain", "gate", "first", "collect"]
"""How the answers to a hook combine.

``notify``: answers are ignored. ``chain``: each handler sees what the ones before it made of the value.
``gate``: the first answer that blocks ends the dispatch. ``first``: the first answer wins. ``collect``: all
answers are gathered in order.
"""

Function = TypeVar("Function", bound=Callable[..., Any])

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function as the answer to the hook of its name.

Options: ``tryfirst``, ``trylast``, ``wrapper`` (a plain generator around the whole dispatch),
``optionalhook`` (the hook need not exist) and ``specname`` (the hook's name, where the function has another).
"""

_spec = pluggy.HookspecMarker(PROJECT)


def hookspec(kind: Kind, *, deprecated: str | None = None) -> Callable[[Function], Function]:
    """Mark a function as the declaration of a hook: its name, arguments and documentation are the hook's.

    The function's return annotation names what counts as an answer; without one, all but ``None`` does.

    Args:
        kind: How answers combine.
        deprecated: What to use instead, as a sentence; whoever answers the hook is warned with it.

    Raises:
        HookspecError: ``kind`` is none of the kinds.
    """
    if kind not in get_args(Kind):
        raise HookspecError(kind, get_args(Kind))

    def mark(function: Function) -> Function:
        warning = None if deprecated is None else _deprecation(function.__name__, deprecated)
        setattr(function, KIND_ATTRIBUTE, kind)
        return _spec(function, firstresult=kind == "first", warn_on_impl=warning)

    return mark


def _deprecation(name: str, instead: str) -> DeprecationWarning:
    return DeprecationWarning(f"The hook {name} is deprecated. {instead}")
