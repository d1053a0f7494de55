"""Failures of an extension's code as values: a text, and a traceback without the host's own frames."""

from __future__ import annotations

import asyncio
import traceback
from pathlib import Path

from pihost.diagnostics import ExtensionError
from pihost.errors import PihostError

__all__ = ["describe", "error_of", "own_stack", "passes_through"]

_HOST = str(Path(__file__).parents[1])


def passes_through(fault: BaseException) -> bool:
    """Whether it is the user or the caller who ends things, and not the extension.

    A ``CancelledError`` that nobody asked for is the extension's own.
    """
    if isinstance(fault, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(fault, KeyboardInterrupt)


def error_of(extension: str, event: str, fault: BaseException) -> ExtensionError:
    """The failure as a value.

    Args:
        extension: Id of the extension.
        event: What it was doing.
        fault: What its code raised.
    """
    return ExtensionError(extension=extension, event=event, error=describe(fault), stack=own_stack(fault))


def describe(fault: BaseException) -> str:
    """The exception's type and text; an error of the host's own says enough without its type."""
    try:
        text = str(fault)
    except Exception:  # noqa: BLE001 -- an author's __str__: the type is still worth telling
        text = "(its text cannot be made)"
    if isinstance(fault, PihostError) and text:
        return text
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def own_stack(fault: BaseException) -> str | None:
    """The traceback without the frames of the host and of the import machinery.

    Returns:
        ``None`` where nothing of the extension's own is in it.
    """
    report = traceback.TracebackException.from_exception(fault)
    _cut(report, set())
    if (
        not report.stack
        and not isinstance(fault, SyntaxError)
        and report.__cause__ is report.__context__ is None
    ):
        return None
    return "".join(report.format())


def _cut(report: traceback.TracebackException, seen: set[int]) -> None:
    if id(report) in seen:
        return
    seen.add(id(report))
    kept = [frame for frame in report.stack if not _is_machinery(frame.filename)]
    report.stack = traceback.StackSummary.from_list(kept)
    for other in (report.__cause__, report.__context__, *(report.exceptions or ())):
        if other is not None:
            _cut(other, seen)


def _is_machinery(filename: str) -> bool:
    return filename.startswith((_HOST, "<frozen importlib"))
