"""Running a coroutine to its end, and ending in an orderly way when the process is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable

__all__ = ["run_until_done"]

TERMINATED = 143
"""Exit code after SIGTERM: 128 and the signal's number, as shells report it."""


def run_until_done(main: Callable[[], Awaitable[int]]) -> int:
    """Run ``main`` in an event loop of its own.

    SIGTERM and SIGHUP cancel it, so that its cleanup runs; so does SIGINT, which the caller sees as
    ``KeyboardInterrupt``.

    Returns:
        What ``main`` returned, or 143 after SIGTERM.
    """
    return asyncio.run(_guarded(main))


async def _guarded(main: Callable[[], Awaitable[int]]) -> int:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(main())
    stopped: list[int] = []

    def stop(number: int) -> None:
        stopped.append(number)
        task.cancel()

    for number in _orderly_signals():
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not stopped:
            raise
        return TERMINATED
    finally:
        for number in _orderly_signals():
            loop.remove_signal_handler(number)


def _orderly_signals() -> tuple[signal.Signals, ...]:
    """The signals that ask a process to end; event loops on Windows take none."""
    if not hasattr(signal, "SIGHUP"):
        return ()
    return (signal.SIGTERM, signal.SIGHUP)
