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

from pihost.events import Event
from pihost.hooks.faults import FaultLog, error_text
from pihost.hooks.handler import Call, Handler
from pihost.hooks.policies import Combination, combination_of
from pihost.hooks.specs import Spec
from pihost.hooks.watchdog import PlannedCall, Watch, Watchdog

__all__ = ["Desk", "Plan", "dispatch", "dispatch_wrapped"]


@attrs.frozen(kw_only=True)
class Desk:
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

    def __init__(self, spec: Spec, bound: Sequence[tuple[Handler, Call]], desk: Desk) -> None:
        plain = [(handler, call) for handler, call in bound if not handler.wrapper]
        self.spec = spec
        self.desk = desk
        self.handlers = tuple(handler for handler, _ in plain)
        self.calls: tuple[PlannedCall, ...] = tuple(
            (call, inspect.iscoroutinefunction(handler.function)) for handler, call in plain
        )
        self.wrappers = tuple((handler, call) for handler, call in bound if handler.wrapper)
        self.is_answered = bool(bound)
        self.combine = combination_of(spec)
        self.watched = any(is_coroutine for _, is_coroutine in self.calls)
        self.has_value = spec.kind in {"chain", "collect"}
        self.quiet = spec.kind != "gate" and not self.combine.fails_closed

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
            self._fail(handler, complaint)

    def raised(self, handler: Handler, error: BaseException) -> None:
        """Report what a handler raised."""
        self._plan.desk.log.failed(handler, error, always=not self._plan.quiet)
        self._fail(handler, error_text(error))

    def _fail(self, handler: Handler, fault: str) -> None:
        refused = self._combination.refusal
        self._combination.fail(handler.extension, fault)
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
    calls = list(plan.calls)
    positions = iter(calls)
    watch = plan.desk.watchdog.start(calls, positions) if plan.watched else None
    try:
        for call, is_coroutine in positions:
            try:
                answer = call(event, ctx)
                if is_coroutine:
                    answer = await answer
                if answer is None:
                    continue
                if not is_coroutine and inspect.isawaitable(answer):
                    watch = watch or plan.desk.watchdog.start(calls, positions)
                    answer = await answer
                outcome = _take(plan, event, outcome, positions, answer, watch)
            except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- a handler's own
                outcome = _fail(plan, event, outcome, positions, error, watch)
            if outcome.ended:
                break
            event = outcome.event
    finally:
        if watch is not None:
            watch.stop()
    if watch is not None and watch.is_cancelled():
        raise asyncio.CancelledError
    return plan.unanswered(event) if outcome is None else outcome.value()


def _current(plan: Plan, positions: Iterator[PlannedCall]) -> Handler:
    """The handler that is being called: what the watchdog adds to the list it adds behind it."""
    return plan.handlers[-1 - operator.length_hint(positions)]


def _take(
    plan: Plan,
    event: Any,
    outcome: Outcome | None,
    positions: Iterator[PlannedCall],
    answer: Any,
    watch: Watch | None,
) -> Outcome:
    outcome = outcome or Outcome(plan, event)
    late = watch is not None and watch.cancels
    if answer is not None and not late:
        outcome.take(_current(plan, positions), answer)
    return outcome


def _fail(
    plan: Plan,
    event: Any,
    outcome: Outcome | None,
    positions: Iterator[PlannedCall],
    error: BaseException,
    watch: Watch | None,
) -> Outcome:
    if watch is not None and watch.is_cancelled() and isinstance(error, asyncio.CancelledError):
        raise error
    outcome = outcome or Outcome(plan, event)
    late = watch is not None and watch.cancels
    if not late:
        outcome.raised(_current(plan, positions), error)
    return outcome


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

    def open(self, call: Call, event: Any, ctx: Any) -> bool:
        """Run to the ``yield``; whether it got there."""
        try:
            self._generator = call(event, ctx)
            next(self._generator)
        except StopIteration:
            self._outcome.complain(self._handler, "the wrapper did not yield")
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
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
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
            self._outcome.raised(self._handler, error)
        else:
            self._close("the wrapper yielded more than once")

    def _unwind(self, error: BaseException) -> None:
        """Let the wrapper clean up after a cancellation or an interrupt; it cannot hold it up."""
        try:
            self._generator.throw(error)
        except StopIteration:
            return
        except (Exception, SystemExit, asyncio.CancelledError) as raised:  # noqa: BLE001 -- other people's code
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
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 -- other people's code
            self._outcome.raised(self._handler, error)
