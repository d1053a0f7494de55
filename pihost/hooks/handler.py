"""A handler as the dispatcher calls it: who it belongs to, where it stands, how it takes its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from pihost.hooks.parameters import Parameters
from pihost.hooks.specs import EVENT_ARGUMENTS, Spec

__all__ = ["Handler", "Place", "PlannedCall", "bind"]

PlannedCall = tuple[Callable[..., Any], bool, bool]
"""A handler as a dispatch calls it: its function, whether that surely gives a coroutine, and whether it takes
the event alone. A plain tuple, which the interpreter takes apart fastest.
"""

Place = Literal[0, 1, 2]
"""Before all plain handlers, among them, or after them."""


@attrs.frozen(kw_only=True, eq=False)
class Handler:
    """A function that answers a hook.

    Attributes:
        extension: Id of the extension it belongs to.
        hook: Name of the hook.
        function: The author's function.
        parameters: What it wants; ``None`` takes every argument of the hook by position.
        place: From ``tryfirst`` and ``trylast``.
        subscribed: Added with ``api.on``; such handlers come after the hookimpls of their extension.
        sequence: Grows with every registration.
        wrapper: Whether it is a generator around the whole dispatch.
        optional: Whether the hook need not exist.
    """

    extension: str
    hook: str
    function: Callable[..., Any] = attrs.field(repr=False)
    parameters: Parameters | None = None
    place: Place = 1
    subscribed: bool = False
    sequence: int = 0
    wrapper: bool = False
    optional: bool = False


def bind(handler: Handler, spec: Spec) -> PlannedCall:
    """The handler's function, made to take what a dispatch has.

    That is the event and the context for hooks of the host's own, which nearly all functions take as they
    are, and the mapping of arguments for hooks of extensions.
    """
    function = handler.function
    names: tuple[str, ...] = spec.arguments
    keywords: tuple[str, ...] = ()
    if handler.parameters is not None:
        names, keywords = handler.parameters.for_call(spec.arguments)
    is_coroutine = inspect.iscoroutinefunction(function)
    if spec.owner is not None:
        return _from_mapping(function, names, keywords), is_coroutine, True
    if not keywords and names in (EVENT_ARGUMENTS, EVENT_ARGUMENTS[:1]):
        return function, is_coroutine, len(names) == 1
    return _from_event(function, names, keywords), is_coroutine, False


def _from_event(
    function: Callable[..., Any], names: tuple[str, ...], keywords: tuple[str, ...]
) -> Callable[[Any, Any], Any]:
    call = _from_mapping(function, names, keywords)
    return lambda event, ctx: call({"event": event, "ctx": ctx})


def _from_mapping(
    function: Callable[..., Any], positional: tuple[str, ...], keywords: tuple[str, ...]
) -> Callable[[Mapping[str, Any]], Any]:
    def call(arguments: Mapping[str, Any]) -> Any:
        return function(*[arguments[n] for n in positional], **{n: arguments[n] for n in keywords})

    return call
