"""A handler as the dispatcher calls it: who it belongs to, where it stands, how it takes its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import attrs

from pihost.hooks.parameters import Parameters
from pihost.hooks.specs import EVENT_ARGUMENTS, Spec

__all__ = ["Call", "Handler", "Place", "bind"]

Call = Callable[[Any, Any], Any]
"""A handler's function, made to take the event and the context."""

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


def bind(handler: Handler, spec: Spec) -> Call:
    """The handler's function, made to take what the dispatcher has.

    That is the event and the context for hooks of the host's own, which most functions take as they are, and
    the mapping of arguments for hooks of extensions.
    """
    function = handler.function
    names: tuple[str, ...] = spec.arguments
    keywords: tuple[str, ...] = ()
    if handler.parameters is not None:
        names, keywords = handler.parameters.for_call(spec.arguments)
    if spec.owner is not None:
        return _from_mapping(function, names, keywords)
    if keywords:
        call = _from_mapping(function, names, keywords)
        return lambda event, ctx: call({"event": event, "ctx": ctx}, None)
    if names == EVENT_ARGUMENTS:
        return function
    return _PERMUTED[names](function)


_PERMUTED: dict[tuple[str, ...], Callable[[Callable[..., Any]], Call]] = {
    (): lambda function: lambda _event, _ctx: function(),
    ("event",): lambda function: lambda event, _ctx: function(event),
    ("ctx",): lambda function: lambda _event, ctx: function(ctx),
    ("ctx", "event"): lambda function: lambda event, ctx: function(ctx, event),
}


def _from_mapping(
    function: Callable[..., Any], positional: tuple[str, ...], keywords: tuple[str, ...]
) -> Call:
    def call(arguments: Any, _ctx: Any) -> Any:
        return function(*[arguments[n] for n in positional], **{n: arguments[n] for n in keywords})

    return call
