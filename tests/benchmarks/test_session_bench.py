"""A session's file: entries appended beside writing the same bytes, and opened beside parsing each line."""

import json
import os

import pytest

from pihost.content import TextContent, ToolCall, Usage
from pihost.messages import AssistantMessage, ToolResultMessage, UserMessage
from pihost.session import SessionStore

COUNT = 10_000


def conversation(count):
    """Messages as a run with tools leaves them: asked, answered with a call, the call's result, answered.

    The result is a module of a hundred lines, which makes 1.9 kB an entry on average.
    """
    call = ToolCall(id="call_1", name="read", arguments={"path": "src/module.py"})
    usage = Usage(input=1200, output=80, cache_read=900, cost=0.002)
    answer = {"provider": "example", "api": "openai-completions", "model": "example-1", "usage": usage}
    text = TextContent(text="The function returns early, so the file is never closed.\n" * 4)
    module = TextContent(text="    return shape(value, limit=limit)  # as it was asked\n" * 100)
    turn = (
        UserMessage.from_text("Why does the test fail? Look at src/module.py and say what is wrong."),
        AssistantMessage(content=(text, call), stop_reason="tool_use", **answer),
        ToolResultMessage(tool_call_id="call_1", tool_name="read", content=(module,)),
        AssistantMessage(content=(text,), **answer),
    )
    return [turn[n % len(turn)] for n in range(count)]


def append_each(store, messages):
    for message in messages:
        store.append_message(message)


def write_each(file, lines):
    """The floor of appending: the bytes are there already, the file is open, and nothing is looked at.

    It lies in the same file system as the session and is opened for appending as well.
    """
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    for line in lines:
        os.write(fd, line)
    os.close(fd)


@pytest.fixture
def lines(tmp_path):
    """A session of many entries, as the lines of its file."""
    with SessionStore.create(tmp_path / "first", tmp_path) as store:
        append_each(store, conversation(COUNT))
    return store_file(tmp_path / "first").read_bytes().splitlines(keepends=True)


def store_file(directory):
    return next(directory.glob("*/*.jsonl"))


@pytest.mark.bench
def test_appending(side_by_side, tmp_path, lines):
    messages = conversation(COUNT)

    def ours():
        with SessionStore.create(tmp_path / "sessions", tmp_path) as store:
            append_each(store, messages)

    name = f"{COUNT} entries appended"
    ratio = side_by_side(name, ours, lambda: write_each(tmp_path / "floor", lines), goal=3)
    assert ratio > 0


@pytest.mark.bench
def test_opening(side_by_side, tmp_path, lines):
    file = store_file(tmp_path / "first")

    def ours():
        with SessionStore.open(file, tmp_path) as store:
            assert len(store.entries) == COUNT

    def floor():
        with file.open("rb") as opened:
            assert len([json.loads(line) for line in opened]) == COUNT + 1

    ratio = side_by_side(f"{COUNT} entries opened", ours, floor, goal=3)
    assert ratio > 0
