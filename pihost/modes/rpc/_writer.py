"""The thread that writes what waits: a client that does not read blocks it and nothing else."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable

from pihost.modes.rpc._outbox import Outbox

__all__ = ["Writer"]

_WAITS = 15
"""How often the end waits for a client that goes on reading."""


class Writer:
    """Writes to a descriptor until the outbox is closed and empty.

    The thread keeps no process alive: what a client has not read by the end is lost.

    Attributes:
        fault: Why it could write no more; ``None`` where it could, or where the reader went away.

    Args:
        descriptor: Where to. A copy of it is used and closed at the end.
        outbox: What is written.
        on_gone: Called in the thread when nobody can read it any more.
    """

    def __init__(self, descriptor: int, outbox: Outbox, on_gone: Callable[[], object]) -> None:
        self.fault: OSError | None = None
        self._written = 0
        self._descriptor = os.dup(descriptor)
        self._outbox = outbox
        self._on_gone = on_gone
        self._thread = threading.Thread(target=self._run, name="pihost-rpc-writer", daemon=True)
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Close the outbox and wait until all of it is written.

        Args:
            seconds: How long nothing may be read before the wait ends. However little is read each time, it
                ends after fifteen times as long.
        """
        self._outbox.close()
        for _ in range(_WAITS):
            before = self._written
            self._thread.join(seconds)
            if not self._thread.is_alive() or self._written == before:
                return

    def _run(self) -> None:
        try:
            while (data := self._outbox.take()) is not None:
                self._write(data)
        except OSError as fault:
            self.fault = None if isinstance(fault, ConnectionError) else fault
            self._outbox.discard()
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._on_gone()
        finally:
            os.close(self._descriptor)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                count = os.write(self._descriptor, view)
            except BlockingIOError:  # whoever shares the pipe has made its writes not wait
                select.select([], [self._descriptor], [])
            else:
                view = view[count:]
                self._written += count
