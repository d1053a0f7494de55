"""Tools of servers as tools of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp import types

from pihost import ToolDefinition, ToolResult
from pihost.tools import ToolAnnotations, ToolContext
from pihost_mcp._results import taken_result

__all__ = ["Call", "mounted_tool"]

Call = Callable[[str, Mapping[str, Any], Callable[[str], object]], Awaitable[types.CallToolResult]]
"""Has the server's tool of a name called with these arguments; shows how far it has come."""


def mounted_tool(server: str, name: str, tool: types.Tool, call: Call) -> ToolDefinition:
    """A server's tool as it is offered here.

    Args:
        server: The server's name.
        name: How the tool is called here.
        tool: What the server says of it.
        call: Has it called.
    """

    async def execute(_call_id: str, params: Any, ctx: ToolContext) -> ToolResult:
        result = await call(tool.name, params, lambda text: ctx.on_update(ToolResult.from_text(text)))
        return await taken_result(result, {"server": server, "tool": tool.name})

    hints = tool.annotations or types.ToolAnnotations()
    title = tool.title or hints.title
    output = tool.output_schema
    return ToolDefinition(
        name=name,
        label=title or f"{server}: {tool.name}",
        description=(tool.description or title or "").strip()
        or f"{tool.name}, a tool of the MCP server {server}.",
        parameters={"type": "object", **tool.input_schema},
        execute=execute,
        output_schema=output if output is not None and output.get("type") == "object" else None,
        annotations=ToolAnnotations(
            read_only=hints.read_only_hint,
            destructive=hints.destructive_hint,
            idempotent=hints.idempotent_hint,
            open_world=hints.open_world_hint,
        ),
    )
