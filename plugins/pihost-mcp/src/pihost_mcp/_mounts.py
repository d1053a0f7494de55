"""The servers of a session: those that files name, those that extensions register, and their tools."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pihost import PihostError
from pihost.events import McpServerInfo
from pihost_mcp._config import FILE_NAME, ServerConfig, read_servers, server_config
from pihost_mcp._errors import ConfigError
from pihost_mcp._names import plain_name, tool_name
from pihost_mcp._server import KeptServer

if TYPE_CHECKING:
    from mcp import types

    from pihost import ExtensionAPI, ExtensionContext
    from pihost.extensions import RegisteredMcpServer

__all__ = ["Mounts"]


class Mounts:
    """Runs the servers of a session and offers their tools.

    Args:
        api: The extension's.
    """

    def __init__(self, api: ExtensionAPI) -> None:
        self._api = api
        self._registered: dict[str, ServerConfig] = {}
        self._from_files: dict[str, ServerConfig] = {}
        self._wanted: dict[str, ServerConfig] = {}
        self._servers: dict[str, KeptServer] = {}
        self._offered: dict[str, tuple[str, types.Tool]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._ctx: ExtensionContext | None = None
        self._closed = False

    @property
    def running(self) -> bool:
        """Whether there is any server."""
        return bool(self._servers)

    def mount(self, server: RegisteredMcpServer) -> None:
        """Run a server that an extension has registered."""
        self._registered[server.name] = server_config(server.name, server.config, source=server.extension)
        self._choose(server.name)

    def unmount(self, name: str) -> None:
        """Run it no longer."""
        self._registered.pop(name, None)
        self._choose(name)

    def start(self, ctx: ExtensionContext, directories: Iterable[Path]) -> None:
        """Run everything that is wanted, from now on.

        Args:
            ctx: The session's.
            directories: Where there may be an ``mcp.json``. A server of a later one takes the place of one of
                that name of an earlier one, and of one that an extension registers.
        """
        self._ctx = ctx
        for directory in directories:
            try:
                self._from_files.update(read_servers(directory / FILE_NAME))
            except ConfigError as fault:
                self._warn(str(fault))
        for name in {**self._registered, **self._from_files}:
            self._choose(name)

    async def settled(self, seconds: float) -> None:
        """Wait until none is starting, but no longer than so many seconds."""
        waiting = asyncio.gather(*(server.settled() for server in self._servers.values()))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(waiting, seconds)

    async def close(self) -> None:
        """End them all, side by side."""
        self._closed = True
        for server in self._servers.values():
            self._end(server)
        if self._ending:
            await asyncio.wait(self._ending)

    def _choose(self, name: str) -> None:
        """Run what is now wanted under a name, and what was wanted before no longer."""
        if self._ctx is None or self._closed:
            return
        wanted = self._from_files.get(name) or self._registered.get(name)
        if wanted == self._wanted.get(name):
            return
        before = self._servers.pop(name, None)
        if before is not None:
            self._withdraw(
                name for name, (server, _) in tuple(self._offered.items()) if server == before.config.name
            )
            self._end(before)
        self._wanted.pop(name, None)
        if wanted is not None:
            self._wanted[name] = wanted
            self._run(wanted)
        self._tell()

    def _run(self, wanted: ServerConfig) -> None:
        if wanted.fault is not None:
            self._warn(f"MCP server {wanted.name!r}: {wanted.fault}")
        elif not wanted.disabled:
            server = KeptServer(
                config=wanted,
                cwd=str(self._ctx.cwd) if self._ctx is not None else "",
                log_file=self._log_file(wanted.name),
                changed=self._changed,
                warn=lambda problem: self._warn(f"MCP server {wanted.name!r}: {problem}"),
            )
            self._servers[wanted.name] = server
            server.start()

    def _log_file(self, name: str) -> Path | None:
        try:
            return self._api.data_dir / f"{plain_name(name)}.log"
        except OSError:  # a home that cannot be written to
            return None

    def _end(self, server: KeptServer) -> None:
        task = asyncio.create_task(server.stop())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _changed(self, server: KeptServer) -> None:
        if self._closed or self._servers.get(server.config.name) is not server:
            return
        if server.state == "ready":
            self._offer(server)
        self._tell()

    def _offer(self, server: KeptServer) -> None:
        """Let the tools that are offered be those that a server now has."""
        owner = server.config.name
        mine = {name for name, (of, _) in self._offered.items() if of == owner}
        wanted: dict[str, types.Tool] = {}
        for tool in server.tools:
            name = tool_name(owner, tool.name, {*wanted, *(self._offered.keys() - mine)})
            wanted.setdefault(name, tool)
        self._withdraw(name for name in mine if self._offered[name] != (owner, wanted.get(name)))
        for name, tool in wanted.items():
            if name not in self._offered:
                self._register(server, name, tool)

    def _register(self, server: KeptServer, name: str, tool: types.Tool) -> None:
        from pihost_mcp._tools import mounted_tool

        try:
            self._api.register_tool(mounted_tool(server.config.name, name, tool, server.call))
        except PihostError as fault:
            note = f"its tool {tool.name!r} is not offered: {fault}"
            if note not in server.notes:
                server.notes.append(note)
                self._warn(f"MCP server {server.config.name!r}: {note}")
        else:
            self._offered[name] = (server.config.name, tool)

    def _withdraw(self, names: Iterable[str]) -> None:
        for name in tuple(names):
            del self._offered[name]
            self._api.unregister_tool(name)

    def _tell(self) -> None:
        self._api.set_mcp_servers(
            [self._info(wanted) for wanted in self._wanted.values() if not wanted.disabled]
        )

    def _info(self, wanted: ServerConfig) -> McpServerInfo:
        server = self._servers.get(wanted.name)
        if server is None:
            return McpServerInfo(name=wanted.name, state="failed", error=wanted.fault, source=wanted.source)
        problems = [*([server.error] if server.error else []), *server.notes]
        return McpServerInfo(
            name=wanted.name,
            state=server.state,
            tools=sorted(name for name, (of, _) in self._offered.items() if of == wanted.name),
            error="; ".join(problems) or None,
            source=wanted.source,
        )

    def _warn(self, text: str) -> None:
        if self._closed or self._ctx is None:
            return
        if self._ctx.has_ui:
            self._ctx.ui.notify(text, "warning")
        else:
            self._api.log.warning("%s", text)
