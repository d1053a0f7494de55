"""A connection with a server, by the SDK's client; every way in which it fails is one error."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import attrs
import httpx2
from mcp import Client, MCPError, types
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, METHOD_NOT_FOUND

from pihost_mcp._config import ServerConfig
from pihost_mcp._errors import ProgramError, ServerError, UnsetVariableError
from pihost_mcp._handshake import first_cause, shaken_hands
from pihost_mcp._program import run_server
from pihost_mcp._server_log import ServerLog
from pihost_mcp._stdio import stdio_streams
from pihost_mcp._variables import Variables

__all__ = ["Connection", "Surroundings", "connected"]

_T = TypeVar("_T")
_CONNECT_SECONDS = 30.0
_MOST_PAGES = 100
"""Pages of a list of tools; a server that has more has no end of them."""
_LONGEST = 1000
"""Characters of what is told of a fault; the SDK quotes whole messages in some."""
_SESSION_GONE = "Session terminated"
"""What the SDK says of a server that knows nothing of the session any more."""

Show = Callable[[str], object]
"""Shown how far a call has come."""


@attrs.frozen(kw_only=True)
class Surroundings:
    """What a connection needs besides the server's configuration.

    Attributes:
        cwd: The session's directory.
        log: Takes what the server says on its standard error.
        variables: Looks up what the configuration names.
        noise: Told, once, of output that is no message.
    """

    cwd: str
    log: ServerLog
    variables: Variables
    noise: Callable[[str], object]


class Connection:
    """A server that has shaken hands.

    Attributes:
        news: Set when the connection has ended, or the server says that its tools are others.
        is_open: Whether it has not ended.
        tools_changed: Whether the server has said so since this was last set to false.
    """

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._client: Client | None = None
        self.news = asyncio.Event()
        self.is_open = True
        self.tools_changed = False
        self.explain: Callable[[BaseException], Awaitable[str]] = _plain

    def use(self, client: Client) -> None:
        """Speak by a client that has shaken hands."""
        self._client = client
        self.is_open = True

    def end(self) -> None:
        """Note that the connection has ended."""
        self.is_open = False
        self.news.set()

    async def why_it_ended(self) -> str:
        """What can be told of its end."""
        return await self.explain(MCPError(CONNECTION_CLOSED, "the connection was closed"))

    async def hear(self, message: object) -> None:
        """Take a notification."""
        if isinstance(message, types.ToolListChangedNotification):
            self.tools_changed = True
            self.news.set()

    async def tools(self) -> list[types.Tool]:
        """The tools of the server, all pages of them.

        Raises:
            ServerError: it does not tell.
        """
        found: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._told(self._listed(cursor))
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                return found
        raise ServerError(self._config.name, f"its list of tools goes on for more than {_MOST_PAGES} pages")

    async def call(self, tool: str, arguments: Mapping[str, Any], show: Show) -> types.CallToolResult:
        """Have a tool called. Cancelling this tells the server.

        Args:
            tool: The server's own name for it.
            arguments: Its arguments.
            show: Shown how far it has come.

        Raises:
            ServerError: there is no result.
        """
        limit, over = self._config.timeout, False
        try:
            async with asyncio.timeout(limit) as timer:

                async def progress(progress: float, total: float | None, message: str | None) -> None:
                    if not over:
                        timer.reschedule(asyncio.get_running_loop().time() + limit)
                        show(message or (f"{progress:g}" if total is None else f"{progress:g}/{total:g}"))

                return await self._told(
                    self._sdk().call_tool(tool, dict(arguments), progress_callback=progress)
                )
        except TimeoutError:
            problem = f"{tool!r} went {limit:g} s without an answer or progress; its 'timeout' may allow more"
            raise ServerError(self._config.name, problem) from None
        finally:
            over = True  # a word of progress may still be on its way

    async def _listed(self, cursor: str | None) -> types.ListToolsResult:
        try:
            return await self._sdk().list_tools(cursor=cursor)
        except MCPError as fault:
            if fault.code != METHOD_NOT_FOUND:
                raise
            return types.ListToolsResult(tools=[])

    def _sdk(self) -> Client:
        if self._client is None:
            raise ServerError(self._config.name, "is not connected")
        return self._client

    async def _told(self, answer: Awaitable[_T]) -> _T:
        try:
            return await answer
        except (TimeoutError, ServerError):
            raise
        except Exception as fault:  # whatever the SDK makes of what a server does
            if isinstance(fault, MCPError) and (
                fault.code == CONNECTION_CLOSED or fault.message == _SESSION_GONE
            ):
                self.end()
            raise ServerError(self._config.name, await self.explain(fault)) from fault


@contextlib.asynccontextmanager
async def connected(config: ServerConfig, around: Surroundings) -> AsyncIterator[Connection]:
    """Start a server, or reach it, and shake hands; end it all on leaving.

    Args:
        config: How it is reached.
        around: The rest.

    Yields:
        The connection.

    Raises:
        ServerError: it cannot be reached, or the connection broke.
    """
    _keep_quiet()
    connection = Connection(config)
    reached = _by_program if config.command is not None else _by_url
    reach = partial(reached, config, around, connection)
    try:
        async with shaken_hands(reach, connection.hear) as client:
            connection.use(client)
            yield connection
    except (ServerError, asyncio.CancelledError):
        raise
    except (ProgramError, UnsetVariableError) as fault:
        raise ServerError(config.name, str(fault)) from fault
    except Exception as fault:  # whatever the SDK makes of what a server does
        cause = first_cause(fault)
        if isinstance(cause, ServerError):
            raise cause from None
        problem = await connection.explain(cause)
        raise ServerError(config.name, around.variables.mask(problem)) from fault


@contextlib.asynccontextmanager
async def _by_program(
    config: ServerConfig, around: Surroundings, connection: Connection
) -> AsyncIterator[Transport]:
    noises: list[str] = []

    def noise(line: bytes) -> None:
        text = around.variables.mask(line.decode(errors="replace").strip())
        around.log.note(f"no message: {text[:500]}")
        if not noises:
            noises.append(text)
            around.noise(text)

    async with run_server(config, cwd=around.cwd, variables=around.variables, log=around.log) as child:

        async def explain(fault: BaseException) -> str:
            if not (isinstance(fault, MCPError) and fault.code == CONNECTION_CLOSED):
                return around.variables.mask(await _plain(fault))
            await child.last_words()
            tail = around.log.tail()
            return child.how_it_ended() + (f": {tail}" if tail else "")

        connection.explain = explain
        yield stdio_streams(child, noise, connection.end)


@contextlib.asynccontextmanager
async def _by_url(
    config: ServerConfig, around: Surroundings, connection: Connection
) -> AsyncIterator[Transport]:
    variables = around.variables
    headers = variables.in_values(config.headers)
    variables.hide(*headers.values())
    url = variables.in_values({"url": config.url or ""})["url"]
    refused: list[httpx2.Response] = []

    async def remember(response: httpx2.Response) -> None:
        if response.request.method == "POST":  # that it has no stream of its own to be read is no refusal
            refused[:] = [response] if response.status_code >= httpx2.codes.BAD_REQUEST else []

    async def explain(fault: BaseException) -> str:
        told = variables.mask(await _plain(fault))
        if not refused:
            return f"cannot be reached: {told}" if isinstance(fault, httpx2.TransportError) else told
        status = refused[-1].status_code
        if status in {httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN}:
            return f'needs other "headers": it answers {status} {refused[-1].reason_phrase}'
        return f"it answers {status} {refused[-1].reason_phrase} ({told})"

    connection.explain = explain
    timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)  # how long a call may take is decided elsewhere
    hooks = {"response": [remember]}
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks) as web:
        yield streamable_http_client(url, http_client=web)


async def _plain(fault: BaseException) -> str:
    kind = type(fault).__name__
    text = fault.message if isinstance(fault, MCPError) else f"{kind}: {fault}" if str(fault) else kind
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _keep_quiet() -> None:
    """Keep what the SDK logs from being printed where nobody has set up logging."""
    for name in ("mcp", "client", "httpx2"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
