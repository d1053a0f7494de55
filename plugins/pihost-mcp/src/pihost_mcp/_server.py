"""A server that is kept: started, followed, ended, and started again by the next call once it has failed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from pihost_mcp._errors import ServerError
from pihost_mcp._server_log import ServerLog
from pihost_mcp._variables import Variables

if TYPE_CHECKING:
    from mcp import types

    from pihost_mcp._config import ServerConfig
    from pihost_mcp._connection import Connection, Surroundings

__all__ = ["KeptServer"]

_ENDING_SECONDS = 4.0
_KILLING_SECONDS = 0.5
_SHOWN = 60
_State = Literal["starting", "ready", "failed", "stopped"]


@attrs.define(kw_only=True, eq=False)
class KeptServer:
    """A server and how it stands.

    Attributes:
        config: How it is reached.
        cwd: The session's directory.
        log_file: Where its standard error is kept; ``None`` is nowhere.
        changed: Called when it stands otherwise, or its tools are others.
        warn: Told what is wrong with it.
        state: How it stands.
        error: Why it failed.
        notes: What of it cannot be used, and what it does wrong.
        tools: What it offers; those of a server that failed stay, since a call starts it again.
    """

    config: ServerConfig
    cwd: str
    log_file: Path | None
    changed: Callable[[KeptServer], object]
    warn: Callable[[str], object]
    state: _State = attrs.field(default="stopped", init=False)
    error: str | None = attrs.field(default=None, init=False)
    notes: list[str] = attrs.field(factory=list, init=False)
    tools: list[types.Tool] = attrs.field(factory=list, init=False)
    _connection: Connection | None = attrs.field(default=None, init=False)
    _task: asyncio.Task[None] | None = attrs.field(default=None, init=False)
    _stopping: bool = attrs.field(default=False, init=False)
    _settled: asyncio.Event = attrs.field(factory=asyncio.Event, init=False)

    def start(self) -> None:
        """Start it, without waiting for it; where it runs, this does nothing."""
        if self._stopping or (self._task is not None and not self._task.done()):
            return
        self._settled.clear()
        self.notes = [f"{key!r} means nothing here" for key in self.config.ignored]
        self._stand("starting")
        self._task = asyncio.create_task(self._keep(), name=f"MCP server {self.config.name}")

    async def settled(self) -> None:
        """Wait until it is not starting."""
        await self._settled.wait()

    async def stop(self) -> None:
        """End it, for good."""
        self._stopping = True
        if self._task is None:
            return
        if self._connection is None:
            self._task.cancel()
        else:
            self._connection.news.set()
        try:
            await asyncio.wait({self._task}, timeout=_ENDING_SECONDS)
        finally:
            self._task.cancel()
        await asyncio.wait({self._task}, timeout=_KILLING_SECONDS)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], show: Callable[[str], object]
    ) -> types.CallToolResult:
        """Have a tool of it called; where it does not run, start it first.

        Args:
            tool: The server's own name for it.
            arguments: Its arguments.
            show: Shown how far it has come.

        Raises:
            ServerError: it cannot be started, or there is no result.
        """
        connection = await self._live()
        return await connection.call(tool, arguments, show)

    async def _live(self) -> Connection:
        if self._task is not None and (self._connection is None or not self._connection.is_open):
            if self.state != "starting":
                await asyncio.wait({self._task})  # what was left of it is being ended
            self.start()
        await self._settled.wait()
        if self._connection is None:
            raise ServerError(self.config.name, self.error or "is stopped")
        return self._connection

    async def _keep(self) -> None:
        try:
            # Half a second of imports, which nobody else has to wait for.
            await asyncio.to_thread(import_module, "pihost_mcp._connection")
            await self._follow()
        except (ServerError, ImportError) as fault:
            self._fail(fault.problem if isinstance(fault, ServerError) else str(fault))
        except asyncio.CancelledError:
            self._stand("stopped")
            raise
        else:
            self._stand("stopped")
        finally:
            self._connection = None
            self._settled.set()

    async def _follow(self) -> None:
        """Run it until it is to stop, or fails."""
        from pihost_mcp._connection import Surroundings

        variables = Variables()
        log = ServerLog(self.log_file, variables.mask)
        around = Surroundings(cwd=self.cwd, log=log, variables=variables, noise=self._noise)
        async with contextlib.AsyncExitStack() as stack:
            connection = await self._started(stack, around)
            while connection.is_open and not self._stopping:
                await connection.news.wait()
                connection.news.clear()
                if connection.tools_changed and connection.is_open:
                    connection.tools_changed = False
                    self._ready(connection, await connection.tools())
            if not self._stopping:
                raise ServerError(self.config.name, await connection.why_it_ended())

    async def _started(self, stack: contextlib.AsyncExitStack, around: Surroundings) -> Connection:
        from pihost_mcp._connection import connected

        limit = self.config.start_timeout
        try:
            async with asyncio.timeout(limit):
                connection = await stack.enter_async_context(connected(self.config, around))
                self._ready(connection, await connection.tools())
                return connection
        except TimeoutError:
            tail = around.log.tail()
            problem = f"did not start within {limit:g} s" + (f": {tail}" if tail else "")
            raise ServerError(self.config.name, problem) from None

    def _ready(self, connection: Connection, tools: list[types.Tool]) -> None:
        self.tools, self._connection = tools, connection
        self._stand("ready")
        self._settled.set()

    def _fail(self, problem: str) -> None:
        self._stand("failed", problem)
        self.warn(problem)

    def _noise(self, line: str) -> None:
        note = f"prints other lines than messages, such as {line[:_SHOWN]!r}; they are skipped"
        self.notes.append(note)
        self.warn(note)
        self.changed(self)

    def _stand(self, state: _State, error: str | None = None) -> None:
        self.state, self.error = state, error
        self.changed(self)
