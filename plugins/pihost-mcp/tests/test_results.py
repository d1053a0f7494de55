"""What of a server's result reaches a model."""

from pathlib import Path

import pytest
from mcp import types
from pihost_mcp._results import taken_result

from pihost import ImageContent, TextContent


def resource(**values):
    return {"type": "resource", "resource": {"uri": "file:///a", **values}}


@pytest.mark.parametrize(
    ("block", "taken"),
    [
        ({"type": "text", "text": "hi"}, TextContent(text="hi")),
        (
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            ImageContent(data="aGk=", mime_type="image/png"),
        ),
        (
            {"type": "image", "data": "aGk=", "mimeType": "image/svg+xml"},
            TextContent(text="[image of type image/svg+xml, 3B, left out: a model cannot read it]"),
        ),
        (
            {"type": "image", "data": "!", "mimeType": "image/png"},
            TextContent(text="[image left out: it is not in base64]"),
        ),
        (
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            TextContent(text="[audio of type audio/wav, 3B, left out: a model cannot read it]"),
        ),
        (
            {"type": "resource_link", "name": "a", "uri": "file:///a", "description": "The first."},
            TextContent(text="[a: file:///a] The first."),
        ),
        (resource(text="inside"), TextContent(text="[file:///a]\ninside")),
        (
            resource(blob="aGk=", mimeType="image/gif"),
            ImageContent(data="aGk=", mime_type="image/gif"),
        ),
        (
            resource(blob="aGk="),
            TextContent(text="[file:///a]\n[file of type unknown, 3B, left out: a model cannot read it]"),
        ),
    ],
)
async def test_each_kind_of_content(block, taken):
    result = types.CallToolResult.model_validate({"content": [block]})
    assert (await taken_result(result, {})).content == [taken]


async def test_data_alone_is_also_text():
    result = types.CallToolResult(content=[], structured_content={"größe": 1})
    taken = await taken_result(result, {"tool": "x"})
    assert (taken.text, taken.structured_content, taken.details) == (
        '{"größe": 1}',
        {"größe": 1},
        {"tool": "x"},
    )


async def test_an_error_stays_one():
    result = types.CallToolResult(content=[types.TextContent(type="text", text="no")], is_error=True)
    assert (await taken_result(result, {})).is_error


def taken_away(path):
    text = Path(path).read_text()
    Path(path).unlink()
    return text


async def test_too_much_text_is_cut_in_its_middle_and_kept_in_a_file():
    text = "a" * 60_000 + "é" * 60_000
    blocks = [types.TextContent(type="text", text=part) for part in (text[:60_000], text[60_000:])]
    taken = await taken_result(types.CallToolResult(content=blocks), {})
    path = taken.details["full_output_path"]
    assert taken_away(path) == text[:60_000] + "\n" + text[60_000:]
    assert len(taken.text.encode()) < 52_000
    assert taken.text.endswith(f"[175.8KB, cut in the middle; full output: {path}]")
