"""Failures of an extension's code as values, and those that are no failures of it."""

from __future__ import annotations

from pihost.diagnostics import ExtensionError
from pihost.errors import describe
from pihost.extensions.event_loop import running_loop

__all__ = ["error_of", "passes_through"]


def passes_through(fault: BaseException) -> bool:
    """Whether it is the user or the caller who ends things, and not the extension.

    A ``CancelledError`` that nobody asked for is the extension's own.
    """
    if isinstance(fault, KeyboardInterrupt):
        return True
    if running_loop() is None:  # so nothing can be cancelled
        return False
    import asyncio

    task = asyncio.current_task() if isinstance(fault, asyncio.CancelledError) else None
    return task is not None and task.cancelling() > 0


def error_of(extension: str, event: str, fault: BaseException) -> ExtensionError:
    """The failure as a value.

    Args:
        extension: Id of the extension.
        event: What it was doing.
        fault: What its code raised.
    """
    from pihost.hooks.faults import own_stack

    return ExtensionError(extension=extension, event=event, error=describe(fault), stack=own_stack(fault))
