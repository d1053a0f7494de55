"""A server's lines: responses to whoever waits for them, events to whoever listens, questions to the user."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from pihost.context import UI
from pihost.errors import describe
from pihost.events import Event
from pihost.jsonlines import decode
from pihost.protocol.commands import Command
from pihost.protocol.dialogs import UiResponse
from pihost.protocol.exchange import command_record, ui_record
from pihost.protocol.records import line_of
from pihost.protocol.replies import Response
from pihost.protocol.stream import event_of, structure, ui_request_of
from pihost.rpc_client._dialogs import Dialogs
from pihost.rpc_client._errors import RpcCommandError, RpcConnectionError, RpcError
from pihost.rpc_client._process import Server

__all__ = ["Connection", "Listener"]

Listener = asyncio.Queue[Event | None]
"""Gets events, and ``None`` once no more can come."""


@attrs.define(eq=False)
class _Asked:
    """A command that waits for its response.

    Attributes:
        response: The response; ``None`` where none can come any more.
        listener: Listens from the moment of a response that says it was done.
    """

    response: asyncio.Future[Response | None]
    listener: Listener | None


class Connection:
    """A client's side of the protocol. Belongs to the running event loop.

    Args:
        server: The process that serves.
        ui: Answers the dialogs of extensions.
    """

    def __init__(self, server: Server, ui: UI) -> None:
        self._server = server
        self._asked: dict[str, _Asked] = {}
        self._listeners: list[Listener] = []
        self._count = 0
        self._fault: RpcConnectionError | None = None
        self._dialogs = Dialogs(ui, self._respond)
        self._reader = asyncio.get_running_loop().create_task(self._read())

    @property
    def ended(self) -> RpcConnectionError:
        """Why nothing more can come."""
        return self._fault or RpcConnectionError("the connection was closed")

    async def ask(self, command: Command, listener: Listener | None = None) -> Any:
        """Send a command and return what its response carries.

        Args:
            command: The command.
            listener: Listens from the response on, if the command is done.

        Raises:
            RpcCommandError: the server did not do it.
            RpcConnectionError: there is no server any more.
        """
        if self._fault is not None:
            raise self._fault
        self._count += 1
        name = str(self._count)
        asked = self._asked[name] = _Asked(asyncio.get_running_loop().create_future(), listener)
        try:
            await self._server.send(line_of(command_record(command, name)))
            response = await asked.response
        finally:
            self._asked.pop(name, None)
        if response is None:
            raise self.ended
        if not response.success:
            raise RpcCommandError(command.type, response.error or "no reason was given")
        return response.data

    @contextlib.contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """At the end, ``listener`` listens no more."""
        try:
            yield
        finally:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def listen(self, listener: Listener) -> None:
        """Let ``listener`` get every event from now on."""
        self._listeners.append(listener)
        if self._fault is not None:
            listener.put_nowait(None)

    async def close(self) -> None:
        """End the server, whatever state it is in."""
        self._dialogs.close()
        try:
            await self._server.end()
            await asyncio.wait({self._reader})
        finally:
            self._reader.cancel()

    async def _respond(self, response: UiResponse) -> None:
        with contextlib.suppress(RpcError):  # the server has ended, and with it the dialog
            await self._server.send(line_of(ui_record(response)))

    async def _read(self) -> None:
        fault: RpcConnectionError | None = None
        try:
            async for line in self._server.lines():
                self._take(decode(line))
        except (ValueError, AttributeError) as broken:  # not JSON, not an object, not what its type says
            fault = RpcConnectionError(f"the server wrote what is no record: {broken}")
        except RpcConnectionError as broken:
            fault = broken
        except Exception as broken:  # noqa: BLE001 -- a task of its own: whoever waits is the only one to hear
            fault = RpcConnectionError(f"the server's answer could not be taken: {describe(broken)}")
            fault.__cause__ = broken
        finally:
            self._end(fault or await self._server.fault())

    def _end(self, fault: RpcConnectionError) -> None:
        self._fault = fault
        self._dialogs.close()
        for asked in self._asked.values():
            if not asked.response.done():
                asked.response.set_result(None)
        for listener in self._listeners:
            listener.put_nowait(None)

    def _take(self, record: Mapping[str, Any]) -> None:
        kind = record.get("type")
        if kind == "response":
            self._take_response(structure(record, Response))
        elif kind == "extension_ui_request":
            request = ui_request_of(record)
            if request is not None:
                self._dialogs.take(request)
        else:
            event = event_of(record)
            for listener in self._listeners:
                listener.put_nowait(event)

    def _take_response(self, response: Response) -> None:
        asked = self._asked.get(str(response.id))
        if asked is None or asked.response.done():
            return
        if response.success and asked.listener is not None:
            self.listen(asked.listener)
        asked.response.set_result(response)
