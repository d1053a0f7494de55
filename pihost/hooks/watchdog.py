"""The time limit of handlers: one watchdog that looks now and then where each running dispatch stands."""

from __future__ import annotations

import asyncio
import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from pihost.hooks.errors import HandlerTimeoutError
from pihost.hooks.handler import Call

__all__ = ["PlannedCall", "Watch", "Watchdog"]

PlannedCall = tuple[Call, bool]
"""A function and whether it surely gives a coroutine."""

_LOOKS = 16
"""How often a handler is seen at work until its time is up; it gets up to a sixteenth more than that."""


class Watch:
    """One dispatch under the watchdog's eye.

    The dispatch walks over a list of calls; how many are left says where it stands, so that nothing has to
    be noted for each handler. When a handler's time is up, the dispatch's task is cancelled and a call that
    raises is put next in line: it runs whether the handler let the cancellation through or swallowed it.
    """

    __slots__ = ("_baseline", "_calls", "_dog", "_left", "_looks", "_positions", "_task", "cancels")

    def __init__(
        self, dog: Watchdog, task: asyncio.Task[Any], calls: list[PlannedCall], positions: Iterator[Any]
    ) -> None:
        self._dog = dog
        self._task = task
        self._calls = calls
        self._positions = positions
        self._baseline = task.cancelling()
        self._left = -1
        self._looks = 0
        self.cancels = 0

    def look(self, limit: float) -> None:
        """Note where the dispatch stands; cancel the handler it has been standing at for too long."""
        left = operator.length_hint(self._positions)
        if left != self._left:
            self._left, self._looks = left, 0
            return
        self._looks += 1
        if self._looks < _LOOKS:
            return
        self._looks = 0
        if not self.cancels:
            self._calls.insert(len(self._calls) - left, (self._time_is_up(limit), False))
            self._left = left + 1
        self.cancels += 1
        self._task.cancel()

    def _time_is_up(self, limit: float) -> Call:
        def raise_timeout(_event: Any, _ctx: Any) -> None:
            self._undo()
            if self.is_cancelled():
                raise asyncio.CancelledError
            raise HandlerTimeoutError(limit)

        return raise_timeout

    def is_cancelled(self) -> bool:
        """Whether somebody other than the watchdog has asked the task to end since the dispatch began."""
        return self._task.cancelling() - self.cancels > self._baseline

    def stop(self) -> None:
        """The dispatch is over: look away, and take back what was not settled."""
        self._dog.forget(self)
        self._undo()

    def _undo(self) -> None:
        for _ in range(self.cancels):
            self._task.uncancel()
        self.cancels = 0


class Watchdog:
    """Cancels handlers that run past the time limit. Belongs to one event loop at a time.

    Args:
        limit: Seconds a handler may take; ``None`` for as long as it likes.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._watches: set[Watch] = set()
        self._pauses = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, calls: list[PlannedCall], positions: Iterator[Any]) -> Watch | None:
        """Watch the running task walk over ``calls`` by ``positions``; ``None`` outside of any task."""
        task = asyncio.current_task(self._loop) if self._loop is not None else None
        if task is None:
            task = self._move()
            if task is None:
                return None
        watch = Watch(self, task, calls, positions)
        self._watches.add(watch)
        if self._timer is None:
            self._arm()
        return watch

    def _move(self) -> asyncio.Task[Any] | None:
        """Start anew on the running loop: the one before has ended."""
        self.close()
        self._loop = asyncio.get_running_loop()
        return asyncio.current_task(self._loop)

    def forget(self, watch: Watch) -> None:
        """Watch that dispatch no longer."""
        self._watches.discard(watch)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Nobody's time runs meanwhile."""
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1

    def close(self) -> None:
        """Stop the clock. Dispatches under way go on without a limit."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._watches.clear()

    def _arm(self) -> None:
        if self._limit is not None and self._loop is not None:
            self._timer = self._loop.call_later(self._limit / _LOOKS, self._tick, self._limit)

    def _tick(self, limit: float) -> None:
        self._timer = None
        if not self._pauses:
            for watch in tuple(self._watches):
                watch.look(limit)
        if self._watches:
            self._arm()
