"""What tests of tools share: a context to call them in, and a dispatcher that writes down what it is told."""

import asyncio
from types import SimpleNamespace

import pytest

from pihost.content import ToolCall, ToolResult
from pihost.context import AbortSignal
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.calling.pipeline import call_tool
from pihost.tools.registry import ToolSettings, create_tool_definition


class RecordingHooks:
    """Dispatches to one function per hook and keeps every event."""

    def __init__(self):
        self.events = []
        self.handlers = {}

    def on(self, name, handler):
        self.handlers[name] = handler

    def has_handlers(self, name):
        return name in self.handlers

    async def emit(self, event):
        self.events.append(event)
        handler = self.handlers.get(event.hook_name)
        return None if handler is None else await handler(event)

    def named(self, name):
        return [event for event in self.events if event.hook_name == name]

    @property
    def names(self):
        return [event.hook_name for event in self.events]


@pytest.fixture
def hooks():
    return RecordingHooks()


@pytest.fixture
def until():
    """Wait until a function returns something true, and hand that back."""

    async def until(condition, seconds=5.0):
        async with asyncio.timeout(seconds):
            while not (value := condition()):  # noqa: ASYNC110 -- it may be about another process
                await asyncio.sleep(0.01)
        return value

    return until


@pytest.fixture
def updates() -> list[ToolResult]:
    """What tools called with ``ctx`` have shown so far."""
    return []


@pytest.fixture
def call(tmp_path, ctx):
    """Call a tool of the house that works in ``tmp_path``, through the pipeline."""

    async def call(name, **arguments):
        settings = ToolSettings(output_fallback_dir=tmp_path / "fallback")
        offered = {name: create_tool_definition(name, tmp_path, settings=settings)}
        return await call_tool(offered, ToolCall(id="c", name=name, arguments=arguments), ctx=ctx)

    return call


@pytest.fixture
def ctx(tmp_path, updates):
    """A tool's context in a directory of its own."""
    session = SimpleNamespace(cwd=tmp_path, signal=AbortSignal(), is_idle=lambda: False)
    return ToolCallContext(session, call_id="test", on_update=updates.append)
