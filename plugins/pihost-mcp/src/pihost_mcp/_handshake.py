"""Shaking hands with servers of every era of the protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mcp import Client, MCPError, types
from mcp.client import IncomingMessage, Transport
from mcp.types import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION

from pihost import __version__

__all__ = ["first_cause", "shaken_hands"]

Reach = Callable[[], AbstractAsyncContextManager[Transport]]
"""Reaches a server; each time anew."""


class Hear(Protocol):
    """Takes what a server says unasked."""

    async def __call__(self, message: IncomingMessage) -> None:
        """Take a notification, or a fault of the transport."""
        ...


_REFUSALS = {UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND, INVALID_REQUEST, INVALID_PARAMS}


@contextlib.asynccontextmanager
async def shaken_hands(reach: Reach, hear: Hear) -> AsyncIterator[Client]:
    """A client that a server has shaken hands with.

    ``initialize`` comes first: up to 2025 it is what every server expects, and some end at any other message.
    A server that refuses it is reached anew and met as one of later years, which says on a stream of its own
    that its tools are others.

    Args:
        reach: Reaches the server.
        hear: Takes what the server says unasked.

    Yields:
        The client.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(_client(reach, "legacy", hear))
        except (MCPError, BaseExceptionGroup) as fault:
            if not _is_refusal(first_cause(fault)):
                raise
            client = await stack.enter_async_context(_client(reach, "auto", hear))
            await stack.enter_async_context(_listening(client))
        yield client


def first_cause(fault: BaseException) -> BaseException:
    """The first of the exceptions that a task group has put together."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault


@contextlib.asynccontextmanager
async def _client(reach: Reach, mode: str, hear: Hear) -> AsyncIterator[Client]:
    who = types.Implementation(name="pihost", version=__version__)
    async with reach() as transport:
        client = Client(transport, mode=mode, cache=None, message_handler=hear, client_info=who)
        async with client:
            yield client


@contextlib.asynccontextmanager
async def _listening(client: Client) -> AsyncIterator[None]:
    """Have the server say when its tools are others; what it says reaches whoever hears it."""
    task = asyncio.create_task(_listen(client))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _listen(client: Client) -> None:
    with contextlib.suppress(MCPError, RuntimeError):  # one that tells nobody, or no longer
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                pass


def _is_refusal(fault: BaseException) -> bool:
    return isinstance(fault, MCPError) and fault.code in _REFUSALS
