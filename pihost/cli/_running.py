"""Running a coroutine to its end, and ending in an orderly way when the process is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType

__all__ = ["Interruption", "run_until_done"]


class Interruption:
    """What a signal that asks the process to end does to the run.

    At first nothing needs an orderly end, and a signal interrupts whatever runs, an extension's import that
    blocks included. From ``from_now_on_orderly`` on the first signal cancels the run, so that its cleanup
    runs; another one interrupts that too.

    Attributes:
        number: The signal that came; ``None`` while none has.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._task: asyncio.Task[object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: Callable[[], object] | None = None

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
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        first, self.number = self.number is None, self.number or number
        if first and self._task is not None and self._loop is not None:
            if self._leave is not None:
                self._loop.call_soon_threadsafe(self._leave)
            self._loop.call_soon_threadsafe(self._task.cancel)
        else:
            raise KeyboardInterrupt


def run_until_done(main: Callable[[Interruption], Awaitable[int]]) -> int:
    """Run ``main`` in an event loop of its own.

    Args:
        main: What to run. It is handed what signals do, to say from when on it wants an orderly end.

    Returns:
        What ``main`` returned; 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP.
    """
    interruption = Interruption()
    try:
        with interruption.installed():
            return asyncio.run(_awaited(main, interruption))
    except (KeyboardInterrupt, asyncio.CancelledError):
        if interruption.exit_code is None:
            raise
        return interruption.exit_code


async def _awaited(main: Callable[[Interruption], Awaitable[int]], interruption: Interruption) -> int:
    return await main(interruption)


def _signals() -> tuple[signal.Signals, ...]:
    """The signals that ask a process to end; Windows knows no SIGHUP."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    return (*numbers, signal.SIGHUP) if hasattr(signal, "SIGHUP") else numbers
