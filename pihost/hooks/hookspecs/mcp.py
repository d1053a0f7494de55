"""Hooks of the MCP servers whose tools a session offers."""

from pihost.context import ExtensionContext
from pihost.events import McpServersChangeEvent
from pihost.hooks._markers import hookspec

__all__ = [
    "mcp_servers_change",
]


@hookspec("notify")
def mcp_servers_change(event: McpServersChangeEvent, ctx: ExtensionContext) -> None:
    """Fires when an MCP server came or went, started, failed or stopped, or when its tools changed.

    Event:
        servers (tuple[McpServerInfo, ...]): All of them, as they stand now: name, state (``"starting"``,
            ``"ready"``, ``"failed"``, ``"stopped"``), names of their tools, error, source.

    Returns:
        Nothing. Anything else is reported as a mistake.

    Answers:
        Ignored.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def mcp_servers_change(event, ctx):
            down = [server.name for server in event.servers if server.state == "failed"]
            ctx.ui.set_status("mcp", f"not there: {', '.join(down)}" if down else "")
    """
