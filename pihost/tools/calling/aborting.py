"""Waiting for work that the user may end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pihost.context import AbortSignal

__all__ = ["GRACE_SECONDS", "until_aborted"]

_T = TypeVar("_T")
GRACE_SECONDS = 5.0
"""How long cancelled work may take to clean up before it is left behind."""


async def until_aborted(
    work: Coroutine[Any, Any, _T], signal: AbortSignal | None, *, patience: float = 0.0
) -> _T | None:
    """What ``work`` returns, or ``None`` where it was cancelled or did not end in time after an abort.

    Args:
        work: Runs in a task of its own.
        signal: Ends it; ``None`` where nobody can.
        patience: Seconds it may go on by itself after the abort before it is cancelled.

    Raises:
        asyncio.CancelledError: the caller itself was cancelled; the work has been cancelled, too.
    """
    task = asyncio.create_task(work)
    watcher = None if signal is None else asyncio.create_task(signal.wait())
    ends = {task} if watcher is None else {task, watcher}
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() and patience:
            await asyncio.wait({task}, timeout=patience)
    finally:
        if watcher is not None:
            watcher.cancel()
        if not task.done():
            await _stop(task)
    return task.result() if task.done() and not task.cancelled() else None


async def _stop(task: asyncio.Task[Any]) -> None:
    task.cancel()
    try:
        await asyncio.wait({task}, timeout=GRACE_SECONDS)
    finally:
        task.add_done_callback(_look)


def _look(task: asyncio.Task[Any]) -> None:
    """Fetch what became of it, so that asyncio does not report a result nobody waits for."""
    if not task.cancelled():
        task.exception()
