"""The protocol over a server's standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from pihost_mcp._child import Child
from pihost_mcp._lines import LineSplitter, LineTooLongError
from pihost_mcp._messages import line_of, message_of

__all__ = ["Streams", "stdio_streams"]

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Streams = tuple[Incoming, MemoryObjectSendStream[SessionMessage]]
"""What the SDK reads messages from and writes them to."""


@contextlib.asynccontextmanager
async def stdio_streams(
    child: Child, noise: Callable[[bytes], None], ended: Callable[[], None]
) -> AsyncIterator[Streams]:
    """The streams of a server's process. They end when its output does.

    The SDK's own transport logs every line that is no message with a traceback, and lets be what a server
    that ends by itself has started.

    Args:
        child: The process.
        noise: Told of lines that are no messages; they are skipped, as blank ones are.
        ended: Told when the output has ended.

    Yields:
        The streams.
    """
    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = (
        asyncio.create_task(_read(child, to_client, noise, ended)),
        asyncio.create_task(_write(child, from_client, to_client)),
    )
    try:
        yield incoming, outgoing
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for stream in (to_client, incoming, outgoing, from_client):
            stream.close()


async def _read(
    child: Child,
    to_client: MemoryObjectSendStream[SessionMessage | Exception],
    noise: Callable[[bytes], None],
    ended: Callable[[], None],
) -> None:
    splitter = LineSplitter()
    async with to_client, contextlib.AsyncExitStack() as at_the_end:
        at_the_end.callback(ended)
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for piece in child.pieces():
                try:
                    lines = list(splitter.feed(piece))
                except LineTooLongError as fault:
                    noise(str(fault).encode())
                    return
                for line in lines:
                    await _pass_on(line, to_client, noise)


async def _pass_on(
    line: bytes, to_client: MemoryObjectSendStream[SessionMessage | Exception], noise: Callable[[bytes], None]
) -> None:
    if not line.strip():
        return
    try:
        message = message_of(line)
    except ValueError:
        noise(line)
        return
    await to_client.send(SessionMessage(message))


async def _write(
    child: Child,
    from_client: MemoryObjectReceiveStream[SessionMessage],
    to_client: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    async with from_client:
        try:
            async for message in from_client:
                await child.write(line_of(message))
        except OSError:
            to_client.close()  # it hears nothing more, so nobody is to wait for its answers
