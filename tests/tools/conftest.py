"""What tests of tools share: a context to call them in, and a dispatcher that writes down what it is told."""

from types import SimpleNamespace

import pytest

from pihost.content import ToolResult
from pihost.context import AbortSignal
from pihost.tools.call_context import ToolCallContext


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
        handler = self.handlers.get(event.name)
        return None if handler is None else await handler(event)

    def named(self, name):
        return [event for event in self.events if event.name == name]

    @property
    def names(self):
        return [event.name for event in self.events]


@pytest.fixture
def hooks():
    return RecordingHooks()


@pytest.fixture
def updates() -> list[ToolResult]:
    """What tools called with ``ctx`` have shown so far."""
    return []


@pytest.fixture
def ctx(tmp_path, updates):
    """A tool's context in a directory of its own."""
    session = SimpleNamespace(cwd=tmp_path, signal=AbortSignal(), is_idle=lambda: False)
    return ToolCallContext(session, call_id="test", on_update=updates.append)
