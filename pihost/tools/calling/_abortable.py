"""Running a tool so that an abort ends it, whether it wants to or not."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pihost.context import AbortSignal

__all__ = ["CANCEL_GRACE_SECONDS", "run_abortable"]

T = TypeVar("T")

CANCEL_GRACE_SECONDS = 5.0
"""How long a cancelled tool may take to clean up before it is left behind."""


async def run_abortable(work: Coroutine[Any, Any, T], signal: AbortSignal | None) -> T | None:
    """What ``work`` returns, or ``None`` where it was cancelled or did not end in time after an abort.

    Args:
        work: Runs in a task of its own.
        signal: Cancels it when set.

    Raises:
        asyncio.CancelledError: the caller itself was cancelled; the work has been cancelled, too.
    """
    task = asyncio.create_task(work)
    watcher = None if signal is None else asyncio.create_task(signal.wait())
    try:
        await asyncio.wait(
            {task} if watcher is None else {task, watcher}, return_when=asyncio.FIRST_COMPLETED
        )
        if not task.done():
            await _stop(task)
    except asyncio.CancelledError:
        await _stop(task)
        raise
    finally:
        if watcher is not None:
            watcher.cancel()
    return task.result() if task.done() and not task.cancelled() else None


async def _stop(task: asyncio.Task[Any]) -> None:
    task.cancel()
    try:
        await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
    finally:
        task.add_done_callback(_look)


def _look(task: asyncio.Task[Any]) -> None:
    """Fetch what became of it, so that asyncio does not report a result nobody waits for."""
    if not task.cancelled():
        task.exception()
