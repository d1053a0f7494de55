"""The time limit of handlers: one watchdog that looks now and then where each running dispatch stands."""

from __future__ import annotations

import asyncio
import contextlib
import operator
from asyncio import current_task
from collections.abc import Iterator
from typing import Any

from pihost.hooks.errors import HandlerTimeoutError
from pihost.hooks.handler import PlannedCall

__all__ = ["Watchdog"]

_LOOKS = 16
"""How often a handler is seen at work until its time is up; it gets up to a sixteenth more than that."""

Positions = Iterator[PlannedCall]
"""What a dispatch walks over its calls with. It says where the dispatch stands, and stands for it here."""


class Watchdog:
    """Cancels handlers that run past the time limit.

    How many calls a dispatch has left says where it stands, so that nothing has to be noted for each handler.
    When a handler's time is up, the task is cancelled and a call that raises is put next in line: it runs
    whether the handler lets the cancellation through or swallows it, and takes the cancellation back.

    Belongs to one event loop at a time; it moves when it is used on another.

    Args:
        limit: Seconds a handler may take; ``None`` for as long as it likes.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._running: dict[Positions, tuple[asyncio.Task[Any], int, list[PlannedCall]]] = {}
        self._seen: dict[Positions, tuple[int, int]] = {}
        self._cancels: dict[Positions, int] = {}
        self._pauses = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, calls: list[PlannedCall], positions: Positions) -> None:
        """Watch the running task walk over ``calls`` by ``positions``."""
        task = None if self._loop is None else current_task(self._loop)
        if task is None:
            task = self._move()
            if task is None:
                return
        self._running[positions] = task, task.cancelling(), calls
        if self._timer is None:
            self._arm()

    def stop(self, positions: Positions) -> bool:
        """Watch that dispatch no longer; whether somebody else cancelled it and a handler swallowed that."""
        watched = self._running.pop(positions, None)
        if watched is None:
            return False
        task, before, _ = watched
        if self._cancels:
            self._take_back(positions, task)
        return task.cancelling() > before

    def is_late(self, positions: Positions) -> bool:
        """Whether the handler at work there has been told that its time is up."""
        return positions in self._cancels

    def is_cancelled(self, positions: Positions) -> bool:
        """Whether somebody other than the watchdog has cancelled the task since that dispatch began."""
        watched = self._running.get(positions)
        if watched is None:
            return False
        task, before, _ = watched
        return task.cancelling() - self._cancels.get(positions, 0) > before

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

    def _move(self) -> asyncio.Task[Any] | None:
        """Start anew on the running loop: the one before, if any, has ended.

        The loop is kept because asking which one runs costs a system call on Python 3.11.
        """
        self.close()
        self._running.clear()
        self._seen.clear()
        self._cancels.clear()
        self._loop = asyncio.get_running_loop()
        return current_task(self._loop)

    def _arm(self) -> None:
        if self._limit is not None and self._loop is not None:
            self._timer = self._loop.call_later(self._limit / _LOOKS, self._look, self._limit)

    def _look(self, limit: float) -> None:
        """See where everybody stands. Looks are counted, not time: a loop that was blocked ages nobody."""
        self._timer = None
        if not self._running:
            self._seen.clear()
            return
        if not self._pauses:
            self._seen = {positions: self._age(positions, limit) for positions in self._running}
        self._arm()

    def _age(self, positions: Positions, limit: float) -> tuple[int, int]:
        """How many calls that dispatch has left, and how often it was seen there before."""
        left = operator.length_hint(positions)
        left_before, looks = self._seen.get(positions, (left, -1))
        if left != left_before:
            return left, 0
        if looks + 1 < _LOOKS:
            return left, looks + 1
        return self._cancel(positions, left, limit), 0

    def _cancel(self, positions: Positions, left: int, limit: float) -> int:
        task, _, calls = self._running[positions]
        if positions not in self._cancels:
            self._cancels[positions] = 0
            calls.insert(len(calls) - left, self._last_call(positions, task, limit))
            left += 1
        self._cancels[positions] += 1
        task.cancel()
        return left

    def _last_call(self, positions: Positions, task: asyncio.Task[Any], limit: float) -> PlannedCall:
        """What the dispatch calls after the handler whose time was up."""

        def time_is_up(_event: Any, _ctx: Any) -> None:
            self._take_back(positions, task)
            if self.is_cancelled(positions):
                raise asyncio.CancelledError
            raise HandlerTimeoutError(limit)

        return time_is_up, False, False

    def _take_back(self, positions: Positions, task: asyncio.Task[Any]) -> None:
        for _ in range(self._cancels.pop(positions, 0)):
            task.uncancel()
