"""Ending a process in which something does not end."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["LeftRunning", "leave", "leave_at_once"]


class LeftRunning(BaseException):
    """All is done, and something that was begun does not end: the process has to end without it.

    Attributes:
        code: The exit code.
        names: What does not end.
    """

    def __init__(self, code: int, names: Sequence[str]) -> None:
        super().__init__(code, names)
        self.code = code
        self.names = names


def leave(code: int) -> NoReturn:
    """End the process without waiting for its threads and tasks; what is to be done at its exit is done."""
    atexit._run_exitfuncs()  # noqa: SLF001 -- the interpreter would wait for the threads before it runs them
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def leave_at_once(code: int, why: str) -> NoReturn:
    """End the process as it stands, from any thread and whatever holds the streams.

    Args:
        code: The exit code.
        why: What the user is told.
    """
    with contextlib.suppress(OSError):
        os.write(2, f"Warning: {why}; it is given up\n".encode())
    os._exit(code)
