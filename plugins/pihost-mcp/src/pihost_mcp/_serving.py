"""A server of the protocol that offers a session's active tools, through the session's pipeline and hooks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from pihost import Host, ToolResult, __version__
from pihost_mcp._messages import without_surrogates
from pihost_mcp._offering import offered_result, offered_tool

__all__ = ["ToolServer"]

_Context = ServerRequestContext[Any, Any]
_STARTING_SECONDS = 5.0
"""How long the first list waits for MCP servers whose tools are offered on."""
_MOST_CLIENTS = 1000
_ENDING_SECONDS = 6.0
_MESSAGE_LENGTH = 200


class ToolServer:
    """Answers clients with what the session in a host can do.

    Args:
        host: The host. Its session ends after this does.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._bus = InMemorySubscriptionBus()
        self._clients: OrderedDict[object, ServerSession] = OrderedDict()
        self._calls: set[asyncio.Task[ToolResult]] = set()
        self._offered: list[types.Tool] = []
        self._telling: asyncio.Task[None] | None = None
        self.server: Server = Server(
            host.config.app_name,
            version=__version__,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._initialized
        )

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Server]:
        """Serve, and follow the session's tools, until it is left; then every call under way is ended.

        Yields:
            What to give the transports.
        """
        remove = self._host.on_tools_changed(self._tools_changed)
        try:
            yield self.server
        finally:
            remove()
            tasks = {*self._calls, *([self._telling] if self._telling else [])}
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=_ENDING_SECONDS)

    async def _initialized(self, ctx: _Context, _params: types.NotificationParams) -> None:
        """Remember whom to tell of other tools. Later clients than those of the handshake ask to be told."""
        key = None if ctx.request is None else ctx.request.headers.get("mcp-session-id")
        self._clients[key] = ctx.session
        while len(self._clients) > _MOST_CLIENTS:
            self._clients.popitem(last=False)

    async def _list_tools(
        self, _ctx: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        await self._host.runner.mcp_servers(within=_STARTING_SECONDS)
        self._offered = self._tools()
        return types.ListToolsResult(tools=self._offered)

    def _tools(self) -> list[types.Tool]:
        """The active tools. Where a handler may change results, the data in them may go."""
        promise_output = not self._host.runner.has_handlers("tool_result")
        active = self._host.session.state.active_tools().values()
        return [offered_tool(tool, promise_output=promise_output) for tool in active]

    async def _call_tool(self, ctx: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        progress = _Progress(ctx.session)
        arguments = params.arguments or {}
        call = self._host.call_tool(params.name, arguments, on_update=progress.show, active_only=True)
        # A task of its own: what cancels a request would go on cancelling the cleanup of tool and hooks.
        task = asyncio.create_task(call)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        async with progress.told():
            try:
                result = await asyncio.shield(task)
            except asyncio.CancelledError:
                task.cancel()
                raise
        return offered_result(result)

    def _tools_changed(self) -> None:
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        """Tell the clients, once for all changes of a moment, if anything offered is otherwise."""
        try:
            await asyncio.sleep(0)
        finally:
            self._telling = None
        if self._tools() == self._offered:
            return
        self._offered = self._tools()
        await self._bus.publish(ToolsListChanged())
        for client in tuple(self._clients.values()):
            await client.send_tool_list_changed()


class _Progress:
    """Tells a client of the latest update of a call; those it is too slow for are left out."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._latest: ToolResult | None = None
        self._changed = asyncio.Event()

    def show(self, partial: ToolResult) -> None:
        """Take an update."""
        self._latest = partial
        self._changed.set()

    @contextlib.asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """While it is open the updates are told; none is after it."""
        task = asyncio.create_task(self._tell())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _tell(self) -> None:
        number = 0
        while True:
            await self._changed.wait()
            self._changed.clear()
            number += 1
            text = "" if self._latest is None else self._latest.text
            message = without_surrogates(text.strip()[-_MESSAGE_LENGTH:])
            await self._session.report_progress(number, message=message or None)
