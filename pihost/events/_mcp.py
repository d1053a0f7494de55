"""How the MCP servers stand whose tools a session offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

import attrs

from pihost._values import Value
from pihost.events._base import Event

__all__ = ["McpServerInfo", "McpServerState", "McpServersChangeEvent"]

McpServerState = Literal["starting", "ready", "failed", "stopped"]
"""How an MCP server stands. One that failed, or stopped, is started again by the next call of its tools."""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class McpServerInfo(Value):
    """An MCP server and how it stands.

    Attributes:
        name: Its name.
        state: ``"starting"``, ``"ready"``, ``"failed"`` or ``"stopped"``.
        tools: Names of the tools that it brings, as a model calls them.
        error: Why it failed, or what of it cannot be used; ``None`` where nothing is wrong.
        source: Where it comes from: a file, or the id of the extension that registered it.
    """

    name: str
    state: McpServerState
    tools: tuple[str, ...] = attrs.field(default=(), converter=_names)
    error: str | None = None
    source: str | None = None


def _servers(servers: Iterable[McpServerInfo]) -> tuple[McpServerInfo, ...]:
    return tuple(servers)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class McpServersChangeEvent(Event):
    """An MCP server came, went, or stands otherwise than before.

    Attributes:
        servers: All of them, as they stand now.
    """

    hook_name: ClassVar[str] = "mcp_servers_change"
    servers: tuple[McpServerInfo, ...] = attrs.field(default=(), converter=_servers)
