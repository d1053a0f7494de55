"""An MCP server as an extension registers it, and who may run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from pihost._values import Value

__all__ = ["McpMounter", "RegisteredMcpServer"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RegisteredMcpServer(Value):
    """An MCP server and where it comes from.

    Attributes:
        name: Its name.
        extension: Id of the extension.
        config: How it is reached, with the keys of an entry of ``mcp.json``.
    """

    name: str
    extension: str
    config: Mapping[str, Any]


class McpMounter(Protocol):
    """Runs MCP servers and registers their tools. An extension hands one to ``api.mount_mcp_servers``.

    How its servers stand it says with ``api.set_mcp_servers``. Its methods belong to the event loop.
    """

    def mount(self, server: RegisteredMcpServer) -> None:
        """Run a server that an extension has registered. Called once the extensions are bound."""
        ...

    def unmount(self, name: str) -> None:
        """Run it no longer."""
        ...
