"""The pipe that a program's output comes through."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

__all__ = ["DRAIN_SECONDS", "QUIET_SECONDS", "OutputPipe"]

QUIET_SECONDS = 0.1
"""A pipe without output for so long, after the program has ended, is taken to be done."""

DRAIN_SECONDS = 0.5
"""How long after the program's end output is read at most, if others hold the pipe and go on writing."""

_CHUNK = 1 << 16


class OutputPipe:
    """A pipe; what is written to it reaches a function in the event loop, chunk by chunk.

    Args:
        on_output: Gets every chunk.
        threaded: Read in a thread of its own, for event loops that cannot wait for a pipe.

    Attributes:
        write_end: Descriptor to hand to the program.
    """

    def __init__(
        self, on_output: Callable[[bytes], None], *, threaded: bool = sys.platform == "win32"
    ) -> None:
        self._on_output = on_output
        self._threaded = threaded
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._last = time.monotonic()
        self._read_end, self.write_end = os.pipe()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Begin to read; the write end is the program's alone from now on."""
        self._close_write_end()
        if self._threaded:
            threading.Thread(target=self._read_in_thread, name="pihost-output", daemon=True).start()
        else:
            os.set_blocking(self._read_end, False)
            self._loop.add_reader(self._read_end, self._readable)

    async def drain(self) -> None:
        """Return when all writers are gone, or those left are quiet, or it has taken long enough."""
        begun = self._last = time.monotonic()
        while not self._ended.is_set():
            now = time.monotonic()
            left = min(self._last + QUIET_SECONDS, begun + DRAIN_SECONDS) - now
            if left <= 0:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), left)

    def close(self) -> None:
        """Read no more. A thread ends with the next output or when the last writer goes."""
        self._close_write_end()
        if self._read_end < 0:
            return
        if not self._threaded:
            self._loop.remove_reader(self._read_end)
            os.close(self._read_end)
        self._read_end = -1

    def _close_write_end(self) -> None:
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def _take(self, data: bytes) -> None:
        self._last = time.monotonic()
        if not data:
            self._ended.set()
        elif self._read_end >= 0:
            self._on_output(data)

    def _readable(self) -> None:
        try:
            data = os.read(self._read_end, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._read_end)
        self._take(data)

    def _read_in_thread(self) -> None:
        descriptor = self._read_end
        try:
            while self._read_end >= 0:
                data = os.read(descriptor, _CHUNK)
                self._loop.call_soon_threadsafe(self._take, data)
                if not data:
                    break
        except RuntimeError:
            pass  # the loop has been closed: nobody asks any more
        finally:
            os.close(descriptor)
