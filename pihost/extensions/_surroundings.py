"""What the process looks like while code of an extension loads."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Self

__all__ = ["Interruptible", "stdout_elsewhere"]


@contextlib.contextmanager
def stdout_elsewhere(*, wanted: bool) -> Iterator[None]:
    """Send what is printed to stderr: stdout belongs to an answer or to a protocol.

    This does nothing about programs that the code starts, which have the file descriptor.
    """
    with contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext():
        yield


class Interruptible:
    """Lets Ctrl-C raise ``KeyboardInterrupt`` at once while code runs that may block.

    An event loop's own handler only asks for the end at the next suspension, which code that blocks never
    reaches. A program that ignores the signal goes on ignoring it, and so does a thread that gets none.
    """

    def __init__(self) -> None:
        self._before = signal.getsignal(signal.SIGINT)
        main = threading.current_thread() is threading.main_thread()
        others = (None, signal.SIG_IGN, signal.default_int_handler)
        self._applies = main and self._before not in others

    def __enter__(self) -> Self:
        if self._applies:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._applies:
            signal.signal(signal.SIGINT, self._before)

    @contextlib.contextmanager
    def left(self) -> Iterator[None]:
        """Give the signal back to the event loop while something is awaited."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()
