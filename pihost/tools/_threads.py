"""File work off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

__all__ = ["run_to_end"]

T = TypeVar("T")


async def run_to_end(work: Callable[[], T], *, on_cancel: Callable[[], None] | None = None) -> T:
    """What ``work`` returns from a thread.

    A cancellation is passed on only when the work has ended, since a thread cannot be stopped: whoever holds
    a file's place in line must not let go of it while it is still being written.

    Args:
        work: Takes no longer than a file takes to read or write, or can be hurried.
        on_cancel: Hurries it, from the event loop.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError as fault:
            cancelled = fault
            if on_cancel is not None:
                on_cancel()
    if cancelled is not None:
        running.exception()
        raise cancelled
    return running.result()
