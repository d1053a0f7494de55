"""Tools and results of pihost in the words of the protocol."""

from __future__ import annotations

from mcp import types

from pihost import ImageContent, TextContent, ToolDefinition, ToolResult
from pihost_mcp._messages import without_surrogates

__all__ = ["offered_result", "offered_tool"]


def offered_tool(tool: ToolDefinition, *, promise_output: bool) -> types.Tool:
    """A tool as a client is shown it.

    Args:
        tool: The tool.
        promise_output: Whether its results can be relied on to hold the data that its output schema says.
    """
    hints = tool.annotations
    schema = tool.output_schema if promise_output else None
    return types.Tool(
        name=tool.name,
        title=tool.label,
        description=without_surrogates(tool.description),
        input_schema=without_surrogates(dict(tool.schema.json_schema)),
        output_schema=dict(schema) if schema is not None and schema.get("type") == "object" else None,
        annotations=types.ToolAnnotations(
            title=tool.label,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def offered_result(result: ToolResult) -> types.CallToolResult:
    """What a call came to, as the client is told it.

    Args:
        result: What it came to. Data that is no JSON object is left out: the protocol has no place for it.
    """
    content: list[types.ContentBlock] = [_block(block) for block in result.content]
    data = result.structured_content
    if not isinstance(data, dict):
        return types.CallToolResult(content=content, is_error=result.is_error)
    return types.CallToolResult(
        content=content, structured_content=without_surrogates(data), is_error=result.is_error
    )


def _block(block: TextContent | ImageContent) -> types.ContentBlock:
    if isinstance(block, ImageContent):
        return types.ImageContent(type="image", data=block.data, mime_type=block.mime_type)
    return types.TextContent(type="text", text=without_surrogates(block.text))
