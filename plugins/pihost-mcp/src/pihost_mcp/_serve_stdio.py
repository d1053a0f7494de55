"""Serving one client on standard input and output."""

from __future__ import annotations

import asyncio
import logging

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError

from pihost.cli import pieces
from pihost_mcp._lines import LineSplitter, LineTooLongError
from pihost_mcp._messages import line_of, message_of
from pihost_mcp._writer import Writer

__all__ = ["serve_stdio"]

_log = logging.getLogger("pihost.extension.pihost-mcp")
_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
_Outgoing = MemoryObjectReceiveStream[SessionMessage]
_LAST_WORDS = 2.0
"""Seconds that a client has to read the last answers."""


async def serve_stdio(server: Server, source: int, answers: int) -> None:
    """Serve whoever holds the other ends, until they close the first or read the second no longer.

    Args:
        server: What answers.
        source: A descriptor that messages come from.
        answers: A descriptor for messages, and nothing else.
    """
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    writer = Writer(answers)
    reading = asyncio.create_task(_read(source, to_server, writer))
    writing = asyncio.create_task(_write(from_server, writer, reading))
    try:
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(incoming, outgoing, options)
        await asyncio.wait({writing}, timeout=_LAST_WORDS)
    finally:
        for task in (reading, writing):
            task.cancel()
        await asyncio.wait((reading, writing))
        writer.close()
        for stream in (to_server, incoming, outgoing, from_server):
            stream.close()


async def _read(source: int, to_server: _Incoming, writer: Writer) -> None:
    splitter = LineSplitter()
    async with to_server:
        try:
            async for piece in pieces(source):
                for line in splitter.feed(piece):
                    await _pass_on(line, to_server, writer)
        except LineTooLongError as fault:
            _log.error("The client is not served any more: %s", fault)
        except (OSError, anyio.BrokenResourceError) as fault:
            _log.debug("The client is gone: %r", fault)


async def _pass_on(line: bytes, to_server: _Incoming, writer: Writer) -> None:
    if not line.strip():
        return
    try:
        message = message_of(line)
    except ValueError:
        error = ErrorData(code=PARSE_ERROR, message="Not a message of JSON-RPC 2.0")
        await writer.write(line_of(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error))))
        return
    await to_server.send(SessionMessage(message))


async def _write(from_server: _Outgoing, writer: Writer, reading: asyncio.Task[None]) -> None:
    async with from_server:
        try:
            async for message in from_server:
                await writer.write(line_of(message))
        except OSError as fault:  # nobody reads the answers, so nobody is served
            _log.debug("The client is gone: %r", fault)
            reading.cancel()
