"""Running a coroutine to its end, and ending in an orderly way when the process is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from threading import Timer
from types import FrameType

from pihost.cli._leaving import LeftRunning, leave_at_once

__all__ = ["Interruption", "run_until_done"]

_PATIENCE_SECONDS = 2.0
"""How long what is left when all is done has to end, once it is cancelled."""
_ORDERLY_SECONDS = 90.0
"""How long an orderly end may take after a signal: longer than a hook may take to answer."""
_LAST_SECONDS = 2.0
"""How long an end has that was asked for twice."""


class Interruption:
    """What a signal that asks the process to end does to the run.

    At first nothing needs an orderly end, and a signal interrupts whatever runs, an extension's import that
    blocks included. From ``from_now_on_orderly`` on the first signal cancels the run, so that its cleanup
    runs; another one interrupts that too. An extension may swallow both: then a third one, or some time after
    the first or the second, ends the process as it stands.

    Attributes:
        number: The signal that came; ``None`` while none has.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._task: asyncio.Task[object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: Callable[[], object] | None = None
        self._timer: Timer | None = None
        self._signals = 0

    def from_now_on_orderly(self, leave: Callable[[], object] | None = None) -> None:
        """Let the first signal cancel the task that calls this.

        Args:
            leave: Called first: what waits for the user is not waited for any more.
        """
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._leave = leave

    @property
    def exit_code(self) -> int | None:
        """128 and the signal's number, as shells report it; ``None`` where no signal came."""
        return None if self.number is None else 128 + self.number

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Take SIGINT, SIGTERM and SIGHUP meanwhile."""
        before = {number: signal.signal(number, self._take) for number in _signals()}
        try:
            yield
        finally:
            self._end_within(None)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self.number = self.number or number
        self._signals += 1
        if self._signals == 1 and self._task is not None and self._loop is not None:
            self._end_within(_ORDERLY_SECONDS)
            if self._leave is not None:
                self._loop.call_soon_threadsafe(self._leave)
            self._loop.call_soon_threadsafe(self._task.cancel)
            return
        if self._signals > 2:  # noqa: PLR2004 -- asked for, insisted on, and not obeyed
            leave_at_once(128 + self.number, "what runs does not end")
        self._end_within(_LAST_SECONDS)
        raise KeyboardInterrupt

    def _end_within(self, seconds: float | None) -> None:
        """End the process as it stands after that time; ``None`` calls it off."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and self.number is not None:
            self._timer = Timer(seconds, leave_at_once, (128 + self.number, "what runs does not end"))
            self._timer.daemon = True
            self._timer.start()


def run_until_done(main: Callable[[Interruption], Awaitable[int]]) -> int:
    """Run ``main`` in an event loop of its own.

    Args:
        main: What to run. It is handed what signals do, to say from when on it wants an orderly end.

    Returns:
        What ``main`` returned; 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP.

    Raises:
        LeftRunning: ``main`` is done, and something that it began does not end.
    """
    interruption = Interruption()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    left: list[str] = []
    try:
        with interruption.installed():
            try:
                code = loop.run_until_complete(_awaited(main, interruption))
            finally:
                if interruption.number is not None:  # nobody is left to whom a task could tell its fault
                    loop.set_exception_handler(lambda _loop, _context: None)
                left += _end(loop)
    except (KeyboardInterrupt, asyncio.CancelledError):
        if interruption.exit_code is None:
            raise
        code = interruption.exit_code
    if left:
        raise LeftRunning(code, left)
    return code


async def _awaited(main: Callable[[Interruption], Awaitable[int]], interruption: Interruption) -> int:
    return await main(interruption)


def _end(loop: asyncio.AbstractEventLoop) -> list[str]:
    """End the loop and what runs in it, as far as that ends in time; names of what does not."""
    left = _cancelled(loop, asyncio.all_tasks(loop))
    ending = loop.create_task(loop.shutdown_asyncgens())
    threads = loop.create_task(loop.shutdown_default_executor())
    if _cancelled(loop, {ending, threads}, at_once=False):
        left.append("a thread")
    if not left:
        asyncio.set_event_loop(None)
        loop.close()
    return left


def _cancelled(
    loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[object]], *, at_once: bool = True
) -> list[str]:
    for task in tasks if at_once else ():
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=_PATIENCE_SECONDS))
    return [_name(task) for task in tasks if not task.done()]


def _name(task: asyncio.Task[object]) -> str:
    return getattr(task.get_coro(), "__qualname__", task.get_name())


def _signals() -> tuple[signal.Signals, ...]:
    """The signals that ask a process to end; Windows knows no SIGHUP."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    return (*numbers, signal.SIGHUP) if hasattr(signal, "SIGHUP") else numbers
