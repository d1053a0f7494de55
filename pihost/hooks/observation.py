"""Watching handlers at work: keeping their times, telling what they answer; for nothing where nobody asks."""

from __future__ import annotations

from pihost.hooks.combination import Combination
from pihost.hooks.handler import Handler, PlannedCall
from pihost.hooks.timing import HandlerTime, HandlerTimes
from pihost.hooks.tracing import Tell, traced, traced_combination

__all__ = ["Observer"]


class Observer:
    """Stands between a hook table and its handlers.

    Args:
        timing: Keep the time of every handler.
        trace: Takes a line for every call: event → handler → answer → effect.
    """

    def __init__(self, *, timing: bool = False, trace: Tell | None = None) -> None:
        self._times = HandlerTimes() if timing else None
        self._trace = trace

    @property
    def keeps_times(self) -> bool:
        """Whether the time of every handler is kept."""
        return self._times is not None

    def observed(self, handler: Handler, call: PlannedCall) -> PlannedCall:
        """The call of a handler as it is to be made."""
        if self._times is not None:
            call = self._times.timed(handler, call)
        return call if self._trace is None else traced(handler, call, self._trace)

    def combination(self, base: type[Combination]) -> type[Combination]:
        """How answers are to be combined."""
        return base if self._trace is None else traced_combination(base, self._trace)

    def times(self) -> tuple[HandlerTime, ...]:
        """How long the handlers have taken; empty where that is not kept."""
        return () if self._times is None else self._times.all()

    def forget(self, extension: str) -> None:
        """The extension is gone."""
        if self._times is not None:
            self._times.forget(extension)
