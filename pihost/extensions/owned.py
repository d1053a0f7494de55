"""What an extension starts, it owns: its tasks are cancelled and its closers run when it ends."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from pihost.diagnostics import ExtensionError
from pihost.errors import PihostError
from pihost.extensions.faults import error_of, passes_through

__all__ = ["Closer", "ExtensionExitError", "Owned", "end_task_around"]

_around: ContextVar[asyncio.Task[Any] | None] = ContextVar("pihost_task_of_extension", default=None)
"""The task of an extension in which the code at work runs, directly or by tasks that it made in turn."""

_RETURNED = 0.01
"""Seconds after which a result has reached whoever waits for it, through tasks between them too."""

Closer = Callable[[], "Awaitable[object] | object"]
"""Gives something back: a connection, a process, a thread."""


class ExtensionExitError(PihostError):
    """Code of an extension wanted to end the process.

    Attributes:
        code: What it gave to ``sys.exit``.
    """

    def __init__(self, code: object) -> None:
        super().__init__(code)
        self.code = code

    def __str__(self) -> str:
        return f"SystemExit: {self.code}"


class Owned:
    """The tasks and closers of one extension.

    Args:
        extension: Its id.
        report: Takes whatever goes wrong in them.
    """

    def __init__(self, extension: str, report: Callable[[ExtensionError], None]) -> None:
        self._extension = extension
        self._report = report
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closers: list[Closer] = []

    def start(self, work: Awaitable[Any], event: str) -> asyncio.Task[Any]:
        """Run ``work`` as a task. What it raises is reported under ``event``.

        Raises:
            TypeError: it cannot be awaited.
            RuntimeError: no event loop runs.
        """
        task = asyncio.get_running_loop().create_task(_contained(work), name=f"{self._extension}: {event}")
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, event))
        return task

    def on_close(self, closer: Closer) -> None:
        """Call ``closer`` when the extension ends; the last one added is the first one called."""
        self._closers.append(closer)

    async def close(self, grace: float) -> None:
        """Cancel the tasks, then run the closers; who takes longer than ``grace`` seconds is reported.

        The task that the caller runs in is left: cancelled, it would take what it called along. Whoever
        calls ends it with `end_task_around` once all is done.
        """
        await self._cancel_tasks(grace)
        while self._closers:
            await self._run_closer(self._closers.pop(), grace)

    async def _cancel_tasks(self, grace: float) -> None:
        tasks = [task for task in self._tasks if task is not _around.get()]
        for task in tasks:
            task.cancel()
        if not tasks:
            return
        _, running = await asyncio.wait(tasks, timeout=grace)
        for task in running:
            self._fault("create_task", f"task {task.get_name()!r} did not end within {grace:g} s")

    async def _run_closer(self, closer: Closer, grace: float) -> None:
        try:
            answer = closer()
        except BaseException as fault:
            if passes_through(fault):
                raise
            self._report(error_of(self._extension, "on_close", fault))
            return
        if inspect.isawaitable(answer):
            task = self.start(answer, "on_close")
            _, running = await asyncio.wait((task,), timeout=grace)
            if running:
                task.cancel()
                self._fault("on_close", f"{_name(closer)} did not end within {grace:g} s")

    def _finished(self, task: asyncio.Task[Any], event: str) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        fault = task.exception()
        if fault is not None:
            self._report(error_of(self._extension, event, fault))

    def _fault(self, event: str, error: str) -> None:
        self._report(ExtensionError(extension=self._extension, event=event, error=error))


def end_task_around() -> None:
    """Cancel the task of an extension that the caller runs in, if any, once the caller has returned."""
    task = _around.get()
    if task is not None:
        asyncio.get_running_loop().call_later(_RETURNED, task.cancel)


async def _contained(work: Awaitable[Any]) -> Any:
    _around.set(asyncio.current_task())
    try:
        return await work
    except SystemExit as fault:
        # asyncio lets it end the event loop, and the host with it.
        raise ExtensionExitError(fault.code) from fault


def _name(function: object) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__
