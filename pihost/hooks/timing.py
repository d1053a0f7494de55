"""How long handlers take, for each extension and hook; kept only where that is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator
from time import perf_counter
from typing import Any

import attrs

from pihost._values import Value
from pihost.hooks.handler import Handler, PlannedCall

__all__ = ["HandlerTime", "HandlerTimes"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HandlerTime(Value):
    """How long the handlers of one extension at one hook have taken: time on the clock, waiting included.

    Attributes:
        extension: Id of the extension.
        hook: Name of the hook.
        count: How many calls have ended, those that failed too.
        total_ms: All of them together, in milliseconds.
        max_ms: The longest, in milliseconds.
        last_ms: The last one, in milliseconds.
    """

    extension: str
    hook: str
    count: int
    total_ms: float
    max_ms: float
    last_ms: float


class _Spent:
    """The times of one extension at one hook, in seconds."""

    __slots__ = ("count", "last", "longest", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = self.longest = self.last = 0.0

    def add(self, seconds: float) -> None:
        """A call has ended."""
        self.count += 1
        self.extend(seconds, seconds)

    def extend(self, seconds: float, since_its_start: float) -> None:
        """A call has gone on, and may go on later."""
        self.total += seconds
        self.last = since_its_start
        self.longest = max(self.longest, since_its_start)


class HandlerTimes:
    """Keeps the time of every handler whose call it has wrapped."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str], _Spent] = {}

    def timed(self, handler: Handler, call: PlannedCall) -> PlannedCall:
        """The call of a handler, made to keep its time.

        Args:
            handler: The handler.
            call: Its function as a dispatch calls it.
        """
        function, is_coroutine, event_only = call
        spent = self._spent.setdefault((handler.extension, handler.hook), _Spent())
        if handler.wrapper:
            return (lambda *arguments: _TimedGenerator(function(*arguments), spent)), False, event_only
        made = _timed_coroutine(function, spent) if is_coroutine else _timed_function(function, spent)
        return made, is_coroutine, event_only

    def forget(self, extension: str) -> None:
        """The extension is gone."""
        for key in [key for key in self._spent if key[0] == extension]:
            del self._spent[key]

    def all(self) -> tuple[HandlerTime, ...]:
        """The times of all handlers that were called, in the order of their first plan."""
        return tuple(
            HandlerTime(
                extension=extension,
                hook=hook,
                count=spent.count,
                total_ms=spent.total * 1000,
                max_ms=spent.longest * 1000,
                last_ms=spent.last * 1000,
            )
            for (extension, hook), spent in self._spent.items()
            if spent.count
        )


def _timed_coroutine(function: Callable[..., Any], spent: _Spent) -> Callable[..., Any]:
    async def call(*arguments: Any) -> Any:
        started = perf_counter()
        try:
            return await function(*arguments)
        finally:
            spent.add(perf_counter() - started)

    return call


def _timed_function(function: Callable[..., Any], spent: _Spent) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        started, answer = perf_counter(), None
        try:
            answer = function(*arguments)
        finally:
            if not inspect.isawaitable(answer):
                spent.add(perf_counter() - started)
        return _awaited(answer, started, spent) if inspect.isawaitable(answer) else answer

    return call


async def _awaited(answer: Awaitable[Any], started: float, spent: _Spent) -> Any:
    try:
        return await answer
    finally:
        spent.add(perf_counter() - started)


class _TimedGenerator(Generator[Any, Any, Any]):
    """A wrapper's generator; what happens between its two halves is not its own time."""

    def __init__(self, generator: Generator[Any, Any, Any], spent: _Spent) -> None:
        self._generator = generator
        self._spent = spent
        self._so_far = 0.0
        spent.count += 1

    def send(self, value: Any) -> Any:
        """Go on with a value."""
        return self._timed(self._generator.send, value)

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:  # noqa: ARG002 -- the base's
        """Go on with an exception."""
        return self._timed(self._generator.throw, error)

    def _timed(self, step: Callable[[Any], Any], value: Any) -> Any:
        started = perf_counter()
        try:
            return step(value)
        finally:
            seconds = perf_counter() - started
            self._so_far += seconds
            self._spent.extend(seconds, self._so_far)
