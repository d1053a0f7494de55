"""Commands on their way: begun in the order they came, and each answered once, whatever becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from pihost.errors import describe
from pihost.modes.rpc._outbox import Outbox
from pihost.protocol.commands import Command
from pihost.protocol.exchange import response_record
from pihost.protocol.reading import Received
from pihost.protocol.replies import Response

__all__ = ["MAX_UNDER_WAY", "Dispatch"]

MAX_UNDER_WAY = 256
"""How many commands may wait or be at work before no more lines are read."""

_OVER = "the session has ended"
_LAST_SECONDS = 2.0
"""How long commands under way have at the end."""

Perform = Callable[[Command], Awaitable[object]]


class Dispatch:
    """Begins commands in order. They run side by side, but nothing begins while one runs that must be alone.

    Args:
        perform: Does a command and returns the response's data.
        outbox: Takes the responses.
        alone: Types of the commands beside which none is begun.
    """

    def __init__(self, perform: Perform, outbox: Outbox, alone: Collection[str]) -> None:
        self._perform = perform
        self._outbox = outbox
        self._alone = alone
        self._waiting: asyncio.Queue[Received | None] = asyncio.Queue()
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._changed = asyncio.Event()
        self._lane: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with what waits."""
        self._lane = asyncio.get_running_loop().create_task(self._begin_all())

    @property
    def is_full(self) -> bool:
        """Whether as many wait and work as may."""
        return self._waiting.qsize() + len(self._tasks) >= MAX_UNDER_WAY

    async def change(self) -> None:
        """Return when a command has ended, or when ``look`` is called."""
        self._changed.clear()
        await self._changed.wait()

    def look(self) -> None:
        """Wake who waits for a change."""
        self._changed.set()

    def add(self, received: Received) -> None:
        """Let a command wait for its turn."""
        self._waiting.put_nowait(received)

    def cancel(self, types: Collection[str]) -> None:
        """End the commands of some types that are at work."""
        for task, its_type in self._tasks.items():
            if its_type in types:
                task.cancel()

    async def finish(self, abort: Callable[[], object]) -> None:
        """Begin what has come already, end what does not end by itself, and answer all of it.

        Args:
            abort: Ends what the session has under way.
        """
        self._waiting.put_nowait(None)
        if self._lane is not None:
            await asyncio.wait({self._lane}, timeout=_LAST_SECONDS)
            self._lane.cancel()
        abort()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_SECONDS)
        await self.stop()

    async def stop(self) -> None:
        """End everything now."""
        tasks = [*self._tasks, *([self._lane] if self._lane is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        while not self._waiting.empty():
            received = self._waiting.get_nowait()
            if received is not None:
                self._refuse(received, _OVER)

    async def _begin_all(self) -> None:
        while (received := await self._waiting.get()) is not None:
            try:
                await self._outbox.room()
            except asyncio.CancelledError:
                self._refuse(received, _OVER)
                raise
            task = asyncio.get_running_loop().create_task(self._answer(received))
            self._tasks[task] = received.message.type
            task.add_done_callback(partial(self._ended, received))
            if received.message.type in self._alone:
                await asyncio.wait({task})

    def _ended(self, received: Received, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self.look()
        if task.cancelled():  # before it had begun
            self._refuse(received, _OVER)

    async def _answer(self, received: Received) -> None:
        command = received.message
        if not isinstance(command, Command):
            return
        try:
            data = await self._perform(command)
        except asyncio.CancelledError:
            self._refuse(received, "the command was broken off")
        except Exception as fault:  # noqa: BLE001 -- extensions take part in it; the client is told
            self._refuse(received, describe(fault))
        else:
            response = Response(id=received.id, command=command.type, success=True, data=data)
            self._outbox.put(response_record(response))

    def _refuse(self, received: Received, reason: str) -> None:
        response = Response(id=received.id, command=received.message.type, success=False, error=reason)
        self._outbox.put(response_record(response))
