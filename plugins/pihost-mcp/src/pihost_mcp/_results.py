"""Results of servers' tools as results of ours."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from mcp import types

from pihost import ImageContent, TextContent, ToolResult
from pihost.tools import DEFAULT_MAX_BYTES, OutputAccumulator, OutputSpillError, format_size, truncate_middle

__all__ = ["taken_result"]

_Block = TextContent | ImageContent
_PICTURES = {"image/gif", "image/jpeg", "image/png", "image/webp"}
"""What models can look at."""


async def taken_result(result: types.CallToolResult, details: dict[str, Any]) -> ToolResult:
    """What a call came to.

    Texts of more than 50 KB together are cut in their middle; all of them is then in a file.

    Args:
        result: What the server says.
        details: What a person's screen may want to know besides.
    """
    blocks = [_taken(block) for block in result.content]
    data = result.structured_content
    if not blocks and data is not None:
        blocks = [TextContent(text=json.dumps(data, ensure_ascii=False))]
    text = "\n".join(block.text for block in blocks if isinstance(block, TextContent))
    if len(text.encode()) > DEFAULT_MAX_BYTES:
        cut, path = await asyncio.to_thread(_cut, text)
        details = {**details, "full_output_path": path}
        blocks = [TextContent(text=cut), *(block for block in blocks if isinstance(block, ImageContent))]
    return ToolResult(
        content=blocks, details=details, structured_content=data, is_error=bool(result.is_error)
    )


def _taken(block: types.ContentBlock) -> _Block:
    match block:
        case types.TextContent():
            return TextContent(text=block.text)
        case types.ImageContent():
            return _picture(block.mime_type, block.data)
        case types.AudioContent():
            return TextContent(text=_left_out("audio", block.mime_type, block.data))
        case types.ResourceLink():
            words = [f"[{block.title or block.name}: {block.uri}]", block.description or ""]
            return TextContent(text=" ".join(filter(None, words)))
        case types.EmbeddedResource():
            return _resource(block.resource)


def _resource(resource: types.TextResourceContents | types.BlobResourceContents) -> _Block:
    if isinstance(resource, types.TextResourceContents):
        return TextContent(text=f"[{resource.uri}]\n{resource.text}")
    kind = resource.mime_type or "unknown"
    if kind in _PICTURES:
        return _picture(kind, resource.blob)
    return TextContent(text=f"[{resource.uri}]\n{_left_out('file', kind, resource.blob)}")


def _picture(kind: str, data: str) -> _Block:
    """A picture, if a provider takes it: what one refuses would be sent, and refused, ever again."""
    try:
        base64.b64decode(data, validate=True)
    except ValueError:
        return TextContent(text="[image left out: it is not in base64]")
    if kind not in _PICTURES:
        return TextContent(text=_left_out("image", kind, data))
    return ImageContent(data=data, mime_type=kind)


def _left_out(what: str, kind: str, data: str) -> str:
    return f"[{what} of type {kind}, {format_size(len(data) * 3 // 4)}, left out: a model cannot read it]"


def _cut(text: str) -> tuple[str, str | None]:
    data = text.encode()
    keeper = OutputAccumulator(temp_file_prefix="pihost-mcp")
    keeper.append(data)
    path: str | None = None
    try:
        keeper.finish()
        path = str(keeper.snapshot(persist_if_truncated=True).full_output_path)
        keeper.close()
    except OutputSpillError as fault:
        where = f"the rest is lost: {fault}"
    else:
        where = f"full output: {path}"
    shown = truncate_middle(text, DEFAULT_MAX_BYTES).content
    return f"{shown}\n\n[{format_size(len(data))}, cut in the middle; {where}]", path
