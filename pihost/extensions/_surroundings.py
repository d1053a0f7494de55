"""What the process looks like while code of an extension loads."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator

__all__ = ["interruptible", "stdout_elsewhere"]


@contextlib.contextmanager
def stdout_elsewhere(*, wanted: bool) -> Iterator[None]:
    """Send what is printed to stderr: stdout belongs to an answer or to a protocol.

    This does nothing about programs that the code starts, which have the file descriptor.
    """
    with contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise ``KeyboardInterrupt`` at once.

    An event loop's own handler only asks for the end at the next suspension, which code that blocks never
    reaches. A program that ignores the signal goes on ignoring it.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before in (None, signal.SIG_IGN, signal.default_int_handler):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
