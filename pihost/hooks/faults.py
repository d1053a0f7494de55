"""Failures of handlers as values: exceptions become reports, and reports do not flood."""

from __future__ import annotations

import collections
import os
import traceback
from collections.abc import Callable
from pathlib import Path

from pihost.diagnostics import ExtensionError
from pihost.errors import describe
from pihost.hooks.handler import Handler

__all__ = ["FaultLog", "own_stack"]

_MACHINERY = (str(Path(__file__).parents[1]) + os.sep, "<frozen importlib")

_LAST_WORD = " (it has failed before; further failures of this handler are not reported)"


def own_stack(error: BaseException) -> str | None:
    """The traceback without the frames of the host and of the import machinery.

    Returns:
        ``None`` where nothing of the extension's own is in it.
    """
    report = traceback.TracebackException.from_exception(error)
    _cut(report)
    if (
        not report.stack
        and not isinstance(error, SyntaxError)
        and report.__cause__ is report.__context__ is None
    ):
        return None
    return "".join(report.format())


def _cut(report: traceback.TracebackException) -> None:
    kept = [frame for frame in report.stack if not frame.filename.startswith(_MACHINERY)]
    report.stack = traceback.StackSummary.from_list(kept)
    for other in (report.__cause__, report.__context__, *(report.exceptions or ())):
        if other is not None:
            _cut(other)


class FaultLog:
    """Reports what handlers do wrong; one that fails again and again is reported twice, then kept quiet.

    Args:
        on_error: Takes each report.
    """

    def __init__(self, on_error: Callable[[ExtensionError], None]) -> None:
        self._on_error = on_error
        self._counts: collections.Counter[tuple[Handler, str]] = collections.Counter()

    def failed(self, handler: Handler, error: BaseException, *, always: bool = False) -> None:
        """The handler raised.

        Args:
            handler: Who.
            error: What.
            always: Report it however often it happened before.
        """
        text, stack = describe(error), own_stack(error)
        self._report(handler, "failed", text, stack=stack, limit=None if always else 2)

    def wrong(self, handler: Handler, complaint: str, *, always: bool = False) -> None:
        """The handler answered something that is no answer.

        Args:
            handler: Who.
            complaint: What is wrong with it.
            always: Report it however often it happened before.
        """
        self._report(handler, "failed", complaint, limit=None if always else 2)

    def needless(self, handler: Handler, complaint: str) -> None:
        """The handler answered where answers are ignored; worth saying once.

        Args:
            handler: Who.
            complaint: What is wrong with it.
        """
        self._report(handler, "needless", complaint, limit=1)

    def forget(self, extension: str) -> None:
        """The extension is gone; its failures count anew should it return."""
        for key in [key for key in self._counts if key[0].extension == extension]:
            del self._counts[key]

    def _report(
        self, handler: Handler, sort: str, text: str, *, stack: str | None = None, limit: int | None
    ) -> None:
        self._counts[handler, sort] += 1
        count = self._counts[handler, sort]
        if limit is not None and count > limit:
            return
        last_word = _LAST_WORD if count == limit and limit > 1 else ""
        self._on_error(
            ExtensionError(
                extension=handler.extension, event=handler.hook, error=text + last_word, stack=stack
            )
        )
