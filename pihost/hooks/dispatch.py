"""One dispatch: every handler in turn, each isolated, its answer combined, wrappers around the whole."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import operator
from collections.abc import Callable, Generator, Iterator, Sequence
from types import TracebackType
from typing import Any

import attrs

from pihost._values import Value
from pihost.errors import describe
from pihost.events import Event
from pihost.hooks.combination import Combination
from pihost.hooks.errors import HandlerTimeoutError
from pihost.hooks.faults import FaultLog
from pihost.hooks.handler import Handler, PlannedCall
from pihost.hooks.policies import combination_of
from pihost.hooks.specs import Spec
from pihost.hooks.watchdog import Watchdog

__all__ = ["Desk", "Plan", "dispatch", "dispatch_wrapped"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Desk(Value):
    """Whom every dispatch of a table turns to.

    Attributes:
        log: Takes failures.
        watchdog: Ends handlers that take too long.
        on_block: Told who refused what, and why.
    """

    log: FaultLog
    watchdog: Watchdog
    on_block: Callable[[str, Event, str], None]


class Plan:
    """Who is called for one hook, in order. Never changed: a change of the handlers makes a new one.

    Args:
        spec: The hook.
        bound: Its handlers and wrappers in order, each with its function.
        desk: Whom to turn to.
    """

    __slots__ = (
        "calls",
        "combine",
        "desk",
        "handlers",
        "has_value",
        "is_answered",
        "quiet",
        "spec",
        "watched",
        "wrappers",
    )

    def __init__(self, spec: Spec, bound: Sequence[tuple[Handler, PlannedCall]], desk: Desk) -> None:
        plain = [(handler, call) for handler, call in bound if not handler.wrapper]
        self.spec = spec
        self.desk = desk
        self.handlers = tuple(handler for handler, _ in plain)
        self.calls = tuple(call for _, call in plain)
        self.wrappers = tuple((handler, call) for handler, call in bound if handler.wrapper)
        self.is_answered = bool(bound)
        self.combine: type[Combination] = combination_of(spec)
        self.watched = any(is_coroutine for _, is_coroutine, _ in self.calls)
        self.has_value = spec.kind in {"chain", "collect"}
        self.quiet = spec.kind != "gate" and not self.combine.fails_closed

    def handler_at(self, positions: Iterator[PlannedCall]) -> Handler:
        """The handler that a dispatch is at. What the watchdog adds to its calls, it adds behind that."""
        return self.handlers[-1 - operator.length_hint(positions)]

    def unanswered(self, event: Any) -> Any:
        """The final value where nobody answered."""
        return self.combine(self.spec, event).value() if self.has_value else None


class Outcome:
    """What a dispatch has come to so far; made with the first answer or failure."""

    __slots__ = ("_combination", "_plan")

    def __init__(self, plan: Plan, event: Any) -> None:
        self._plan = plan
        self._combination: Combination = plan.combine(plan.spec, event)

    @property
    def event(self) -> Any:
        """The event as the next handler sees it."""
        return self._combination.event

    @property
    def ended(self) -> bool:
        """Whether no further handler is called."""
        return self._combination.ended

    def value(self) -> Any:
        """What the dispatch gives."""
        return self._combination.value()

    def take_at(self, positions: Iterator[PlannedCall], answer: Any) -> None:
        """Combine what the handler at work there answered, unless its time was up before it did."""
        if answer is not None and not self._plan.desk.watchdog.is_late(positions):
            self.take(self._plan.handler_at(positions), answer)

    def raised_at(self, positions: Iterator[PlannedCall], error: BaseException) -> None:
        """Report what the handler at work there raised, unless it is how it took the end of its time.

        Raises:
            CancelledError: Somebody cancelled the task that the dispatch runs in.
        """
        watchdog = self._plan.desk.watchdog
        if isinstance(error, asyncio.CancelledError) and watchdog.is_cancelled(positions):
            raise error
        if not watchdog.is_late(positions):
            self.raised(self._plan.handler_at(positions), error)

    def take(self, handler: Handler, answer: Any) -> None:
        """Combine an answer; report it where it is none."""
        refused = self._combination.refusal
        complaint = self._combination.take(handler.extension, answer)
        if complaint is not None:
            self.complain(handler, complaint)
        elif self._combination.refusal is not refused:
            self._announce()

    def complain(self, handler: Handler, complaint: str) -> None:
        """Report what a handler did wrong without raising."""
        if self._combination.needless:
            self._plan.desk.log.needless(handler, complaint)
        else:
            self._plan.desk.log.wrong(handler, complaint, always=not self._plan.quiet)
            self._heed(self._combination.fail, handler, complaint)

    def raised(self, handler: Handler, error: BaseException) -> None:
        """Report what a handler raised."""
        self._plan.desk.log.failed(handler, error, always=not self._plan.quiet)
        late = isinstance(error, HandlerTimeoutError)
        tell = self._combination.ran_late if late else self._combination.broke
        self._heed(tell, handler, describe(error))

    def _heed(self, tell: Callable[[str, str], None], handler: Handler, fault: str) -> None:
        refused = self._combination.refusal
        tell(handler.extension, fault)
        if self._combination.refusal is not refused:
            self._announce()

    def _announce(self) -> None:
        if self._combination.refusal is not None:
            extension, reason = self._combination.refusal
            self._plan.desk.on_block(extension, self._combination.event, reason)


async def dispatch(plan: Plan, event: Any, ctx: Any, outcome: Outcome | None = None) -> Any:
    """Call the handlers of a plan in turn.

    Args:
        plan: Whom to call.
        event: What they are handed.
        ctx: What they are handed besides.
        outcome: Takes the answers; made when there is one.

    Returns:
        What the answers combine to.
    """
    calls = [*plan.calls]
    positions = iter(calls)
    watchdog = plan.desk.watchdog
    watched = plan.watched
    if watched:
        watchdog.start(calls, positions)
    try:
        for function, is_coroutine, event_only in positions:
            try:
                answer = function(event) if event_only else function(event, ctx)
                if is_coroutine:
                    answer = await answer
                if answer is None:
                    continue
                if not is_coroutine and inspect.isawaitable(answer):
                    if not watched:
                        watched = True
                        watchdog.start(calls, positions)
                    answer = await answer
                outcome = outcome or Outcome(plan, event)
                outcome.take_at(positions, answer)
            except (Exception, GeneratorExit, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- a handler's own
                outcome = outcome or Outcome(plan, event)
                outcome.raised_at(positions, error)
            if outcome.ended:
                break
            event = outcome.event
    finally:
        cancelled = watched and watchdog.stop(positions)
    if cancelled:
        raise asyncio.CancelledError
    return plan.unanswered(event) if outcome is None else outcome.value()


async def dispatch_wrapped(plan: Plan, event: Any, ctx: Any) -> Any:
    """The same with the plan's wrappers around it; every one of them has ended before this returns."""
    outcome = Outcome(plan, event)
    with contextlib.ExitStack() as stack:
        for handler, call in plan.wrappers:
            wrapper = _Wrapper(handler, outcome)
            if wrapper.open(call, event, ctx):
                stack.push(wrapper.close)
            if outcome.ended:
                break
        if not outcome.ended:
            await dispatch(plan, event, ctx, outcome)
    return outcome.value()


class _Wrapper:
    """A generator around a dispatch: runs to its ``yield`` before and to its end after, come what may."""

    def __init__(self, handler: Handler, outcome: Outcome) -> None:
        self._handler = handler
        self._outcome = outcome
        self._generator: Generator[None, Any, Any]

    def open(self, call: PlannedCall, event: Any, ctx: Any) -> bool:
        """Run to the ``yield``; whether it got there."""
        try:
            function, _, event_only = call
            self._generator = function(event) if event_only else function(event, ctx)
            next(self._generator)
        except StopIteration:
            self._outcome.complain(self._handler, "the wrapper did not yield")
        except (Exception, GeneratorExit, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
            self._outcome.raised(self._handler, error)
        else:
            return True
        return False

    def close(
        self, _type: type[BaseException] | None, error: BaseException | None, _frames: TracebackType | None
    ) -> None:
        """Run to the end: with the value of the dispatch, or with what broke it off."""
        if error is None:
            self._finish()
        else:
            self._unwind(error)

    def _finish(self) -> None:
        value = self._outcome.value()
        try:
            self._generator.send(value)
        except StopIteration as stop:
            if stop.value is not None and stop.value is not value:
                self._outcome.take(self._handler, stop.value)
        except (Exception, GeneratorExit, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
            self._outcome.raised(self._handler, error)
        else:
            self._close("the wrapper yielded more than once")

    def _unwind(self, error: BaseException) -> None:
        """Let the wrapper clean up after a cancellation or an interrupt; it cannot hold it up."""
        try:
            self._generator.throw(error)
        except StopIteration:
            return
        except (Exception, GeneratorExit, SystemExit, asyncio.CancelledError) as raised:  # noqa: BLE001 -- other people's code
            if raised is not error:
                self._outcome.raised(self._handler, raised)
        except BaseException as raised:
            if raised is not error:
                raise
        else:
            self._close("the wrapper yielded more than once")

    def _close(self, complaint: str) -> None:
        self._outcome.complain(self._handler, complaint)
        try:
            self._generator.close()
        except (Exception, GeneratorExit, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
            self._outcome.raised(self._handler, error)
