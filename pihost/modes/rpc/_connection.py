"""The two directions of a client's connection, from the start of a host's session to its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from pihost.modes.rpc._dispatch import Dispatch
from pihost.modes.rpc._outbox import MAX_WAITING_BYTES, Outbox
from pihost.modes.rpc._perform import ALONE, perform
from pihost.modes.rpc._ui import RpcUI
from pihost.modes.rpc._writer import Writer
from pihost.modes.rpc.source import pieces
from pihost.protocol.commands import Command, CommandId
from pihost.protocol.dialogs import UiResponse
from pihost.protocol.exchange import response_record
from pihost.protocol.lines import MAX_LINE_BYTES, LineFault, LineSplitter
from pihost.protocol.reading import BadLineError, Received, read_line
from pihost.protocol.records import header_record
from pihost.protocol.replies import Response

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host

__all__ = ["Connection", "Limits"]

_BREAKABLE = ("call_tool",)
"""Commands at work that are no part of the session's, so that an abort has to end them too."""
_FLUSH_SECONDS = 2.0
"""How long the client may read nothing of what still waits at the end."""


@attrs.frozen(kw_only=True)
class Limits:
    """How much of a client's is kept.

    Attributes:
        line_bytes: How long one of its lines may be.
        waiting_bytes: How much may wait for it before events are left out.
    """

    line_bytes: int = MAX_LINE_BYTES
    waiting_bytes: int = MAX_WAITING_BYTES


class Connection:
    """Listens to a client and tells it what happens. Belongs to the running event loop.

    Answers to dialogs are taken at once; commands wait until ``serve``.

    Args:
        host: What commands are done to; its events are shown from now on.
        ui: Takes the answers to dialogs.
        source: Descriptor of what the client says.
        target: Descriptor of what the client hears.
        limits: How much is kept.
    """

    def __init__(self, host: Host, ui: RpcUI, *, source: int, target: int, limits: Limits) -> None:
        loop = asyncio.get_running_loop()
        self._host = host
        self._ui = ui
        self._session_id = host.session.id
        self._ended = asyncio.Event()
        self._outbox = Outbox(limits.waiting_bytes)
        self._writer = Writer(target, self._outbox, lambda: loop.call_soon_threadsafe(self._ended.set))
        self._dispatch = Dispatch(self._perform, self._outbox, ALONE)
        self._lines = LineSplitter(limits.line_bytes)
        ui.connect(self._outbox, self._dispatch.look)
        host.subscribe(self._show)
        self._reader = loop.create_task(self._read(source))

    async def serve(self) -> None:
        """Do the client's commands until it is gone, or until an extension asks for the end.

        Raises:
            OSError: what the client says cannot be read, or what it is to hear cannot be written.
        """
        self._dispatch.start()
        try:
            await self._ended.wait()
            self._ui.close()
            await self._dispatch.finish(self._break_off)
        finally:
            self._ui.close()
            await self._dispatch.stop()
        if self._writer.fault is not None:
            raise self._writer.fault
        if self._reader.done():
            self._reader.result()

    def close(self) -> None:
        """Listen no more, and let the client read what still waits for it."""
        self._reader.cancel()
        self._writer.finish(_FLUSH_SECONDS)

    async def _read(self, source: int) -> None:
        try:
            async for piece in pieces(source):
                for line in self._lines.feed(piece):
                    await self._take(line)
            torn = self._lines.finish()
            if torn is not None:
                await self._take(torn)
        finally:
            self._ui.close()
            self._ended.set()

    async def _take(self, line: bytes | LineFault) -> None:
        """Let a line wait for its turn, or answer it at once."""
        await self._outbox.room()
        while self._dispatch.is_full and not self._ui.is_asking:
            await self._dispatch.change()
        if isinstance(line, LineFault):
            self._respond(None, None, line.reason)
            return
        try:
            received = read_line(line)
        except BadLineError as fault:
            self._respond(fault.id, fault.type, fault.reason)
            return
        self._receive(received)

    def _receive(self, received: Received) -> None:
        message = received.message
        if isinstance(message, UiResponse):
            self._respond(received.id, message.type, self._ui.answer(message))
        elif self._dispatch.is_full:
            self._respond(received.id, message.type, "too many commands wait, and a dialog is open")
        else:
            self._dispatch.add(received)

    def _respond(self, command_id: CommandId, command: str | None, error: str | None) -> None:
        response = Response(id=command_id, command=command, success=error is None, error=error)
        self._outbox.put(response_record(response))

    async def _perform(self, command: Command) -> object:
        if command.type == "abort":
            self._dispatch.cancel(_BREAKABLE)
        try:
            return await perform(self._host, command)
        finally:
            self._notice()

    def _break_off(self) -> None:
        """End what is under way without waiting for it."""
        self._dispatch.cancel(_BREAKABLE)
        self._host.session.abort_soon()

    def _show(self, event: Event) -> None:
        self._notice()
        self._outbox.put_event(event)

    def _notice(self) -> None:
        """Tell of another session in the place of the one before, and heed a wish for the end."""
        session = self._host.session
        if session.id != self._session_id:
            self._session_id = session.id
            self._outbox.put(header_record(session.store.header))
        if self._host.shutdown_requested and session.is_idle:
            self._ended.set()
