"""Where the output of a program goes: the standard streams, the root logger, the filters of warnings."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable
from typing import Any

from pihost.extensions.containment.piece import Piece, whole

__all__ = ["HOOKS", "LOGGING", "STREAMS", "WARNINGS", "open_again"]

_NAMES = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")


def open_again(stream: Any) -> Any:
    """A standard stream in the place of one that was closed; its descriptor is open as before."""
    descriptor = 0 if stream.name == "<stdin>" else 1 if stream.name == "<stdout>" else 2
    mode = "w" if descriptor else "r"
    return open(descriptor, mode, encoding=stream.encoding, errors=stream.errors, closefd=False)


def _streams() -> tuple[Any, ...]:
    stdin, stdout, stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    closed = [stream is None or stream.closed for stream in (stdin, stdout, stderr)]
    return sys.stdin, sys.stdout, sys.stderr, stdin, stdout, stderr, closed


def _put_streams(before: tuple[Any, ...]) -> None:
    *streams, was_closed = before
    for stream, closed in zip(streams[3:], was_closed, strict=True):
        if not closed and stream.closed:
            again = open_again(stream)
            streams = [again if one is stream else one for one in streams]
    for name, stream in zip(_NAMES, streams, strict=True):
        setattr(sys, name, stream)


def _hooks() -> tuple[Any, ...]:
    return sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook


def _put_hooks(before: tuple[Any, ...]) -> None:
    sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook = before


_UNTOUCHED = ((), (), 30, False, 0)
"""The root logger as it is when logging is imported: without a handler, at the level of warnings."""


def _logging() -> tuple[Any, ...]:
    if "logging" not in sys.modules:
        return _UNTOUCHED
    import logging

    root = logging.root
    return tuple(root.handlers), tuple(root.filters), root.level, root.disabled, root.manager.disable


def _put_logging(before: tuple[Any, ...]) -> None:
    import logging

    root = logging.root
    handlers, filters, level, root.disabled, disabled = before
    root.handlers[:], root.filters[:] = handlers, filters
    root.setLevel(level)
    logging.disable(disabled)


def _warnings() -> tuple[Any, ...]:
    return tuple(warnings.filters), warnings.showwarning


def _put_warnings(before: tuple[Any, ...]) -> str:
    filters, show = before
    if warnings.showwarning is show and (
        tuple(warnings.filters) == filters or _broad(warnings.filters) == _broad(filters)
    ):
        return ""
    warnings.showwarning = show
    warnings.resetwarnings()  # what is remembered of the filters goes with them
    list.extend(warnings.filters, filters)  # type: ignore[arg-type]  # it is a list, whatever its stub says
    return "the filters of warnings"


def _broad(filters: Iterable[Any]) -> list[Any]:
    """Those that cover everybody's warnings; libraries add narrow ones for their own, which harm nobody."""
    return [
        one
        for one in filters
        if one[1] is None and one[3] is None and one[4] == 0 and one[2].__module__ == "builtins"
    ]


STREAMS = whole("the standard streams", _streams, _put_streams)
HOOKS = whole("what is done with uncaught exceptions", _hooks, _put_hooks)
LOGGING = whole("the logging of the whole program", _logging, _put_logging)
WARNINGS = Piece(_warnings, _put_warnings)
