"""Learning that a process has ended, without polling and without holding up the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading

__all__ = ["ExitWatch"]


class ExitWatch:
    """Waits for one process.

    Args:
        process: It must be waited for by nobody else.

    Attributes:
        exited: Gets the process's return code, negative for the signal that killed it.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._handle = _process_handle(process.pid)
        self.exited: asyncio.Future[int] = self._loop.create_future()
        if self._handle is not None:
            self._loop.add_reader(self._handle, self._ready)
        else:
            threading.Thread(target=self._wait, name="pihost-exit-watch", daemon=True).start()

    def close(self) -> None:
        """Stop watching; again is harmless."""
        if self._handle is not None:
            self._loop.remove_reader(self._handle)
            os.close(self._handle)
            self._handle = None

    def _ready(self) -> None:
        self.close()
        self._tell(self._process.wait())

    def _tell(self, code: int) -> None:
        if not self.exited.done():
            self.exited.set_result(code)

    def _wait(self) -> None:
        code = self._process.wait()
        # The loop may have been closed meanwhile: then nobody asks any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, code)


def _process_handle(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; ``None`` where the system has none."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            return os.pidfd_open(pid)
    return None
