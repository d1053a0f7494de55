"""The types of handlers, for type checkers: what they are called with and may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

__all__ = ["Decorator", "Handler"]

_Event = TypeVar("_Event")
_Context = TypeVar("_Context")
_Answer = TypeVar("_Answer")

Handler: TypeAlias = Callable[[_Event, _Context], _Answer | Awaitable[_Answer]]
"""A handler, plain or async."""

Decorator: TypeAlias = Callable[
    [Callable[[_Event, _Context], _Answer | Awaitable[_Answer]]],
    Callable[[_Event, _Context], _Answer | Awaitable[_Answer]],
]
"""Takes a handler and gives it back."""
