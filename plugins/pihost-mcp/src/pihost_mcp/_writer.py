"""Writing to a descriptor without keeping the event loop from its other work."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
import threading

__all__ = ["Writer"]

_Job = tuple[bytes, "asyncio.Future[None]"]


class Writer:
    """Writes one thing after another, in a thread that keeps no process alive.

    Args:
        descriptor: Where to. It stays open.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="pihost-mcp-writer", daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write all of it.

        Raises:
            OSError: nobody reads it any more, or it cannot be written.
        """
        done: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put((data, done))
        await done

    def close(self) -> None:
        """Let the thread end."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            data, done = job
            fault: OSError | None = None
            try:
                self._write(data)
            except OSError as raised:
                fault = raised
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(_settle, done, fault)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BlockingIOError:  # whoever shares the pipe has made its writes not wait
                select.select([], [self._descriptor], [])


def _settle(done: asyncio.Future[None], fault: OSError | None) -> None:
    if done.done():
        return
    if fault is None:
        done.set_result(None)
    else:
        done.set_exception(fault)
