"""The events of one tool call, fired through whatever dispatches hooks."""

from __future__ import annotations

import asyncio
import copy
import time
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from pihost.content import ToolCall, ToolResult
from pihost.events import (
    Event,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
)
from pihost.hooks.protocol import Dispatcher

__all__ = ["CallEvents", "UpdateStream", "copied", "frozen"]


def frozen(value: Any) -> Any:
    """A deep copy nobody can change: mappings as read-only views, lists as tuples."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return copy.deepcopy(value)


def copied(arguments: Any) -> Any:
    """A deep copy of a call's arguments, which may be any mapping, even one that cannot be copied itself."""
    return copy.deepcopy(dict(arguments) if isinstance(arguments, Mapping) else arguments)


def _shown(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return copied(arguments)  # type: ignore[no-any-return]  # a mapping's copy is a dict
    except Exception:  # noqa: BLE001 -- a value of an extension's own: the call is refused for it, and says so
        return {}


class CallEvents:
    """Fires the events of one call; without a dispatcher nothing happens.

    Args:
        hooks: Takes the events.
        call: The call; the events carry its arguments as sent, none where they cannot be copied.
        parent: Id of the call that made this one.
    """

    def __init__(self, hooks: Dispatcher | None, call: ToolCall, parent: str | None) -> None:
        self._hooks = hooks
        self._started = time.perf_counter()
        self._names: dict[str, Any] = {
            "tool_call_id": call.id,
            "tool_name": call.name,
            "parent_tool_call_id": parent,
        }
        self._args = _shown(call.arguments) if hooks is not None else call.arguments

    def wanted(self, name: str) -> bool:
        """Whether anybody answers this hook."""
        return self._hooks is not None and self._hooks.has_handlers(name)

    async def _emit(self, event: Event) -> object:
        return None if self._hooks is None else await self._hooks.emit(event)

    async def start(self) -> None:
        """The call begins."""
        await self._emit(ToolExecutionStartEvent(**self._names, args=self._args))

    async def update(self, partial: ToolResult) -> None:
        """The tool shows what it has so far."""
        await self._emit(ToolExecutionUpdateEvent(**self._names, args=self._args, partial_result=partial))

    async def end(self, result: ToolResult) -> None:
        """The call has its result."""
        duration = (time.perf_counter() - self._started) * 1000
        event = ToolExecutionEndEvent(
            **self._names, args=self._args, result=result, is_error=result.is_error, duration_ms=duration
        )
        await self._emit(event)

    async def ask(self, arguments: dict[str, Any]) -> tuple[object, tuple[str, ...]]:
        """``tool_call``: who answers may change ``arguments`` in place, or refuse.

        Returns:
            The answer, and the ids of the extensions that changed something, as far as that is known.
        """
        from pihost.events import ToolCallEvent
        from pihost.hooks.changes import changes_noted

        with changes_noted() as names:
            answer = await self._emit(ToolCallEvent(**self._names, input=arguments))
        return answer, tuple(dict.fromkeys(names))

    async def ask_finally(self, arguments: Mapping[str, Any]) -> object:
        """``tool_call_final``: who answers sees what will run, and may refuse."""
        from pihost.events import ToolCallFinalEvent

        return await self._emit(ToolCallFinalEvent(**self._names, input=frozen(arguments)))

    async def result(self, arguments: Mapping[str, Any], result: ToolResult) -> object:
        """``tool_result``: who answers may change what the call came to."""
        from pihost.events import ToolResultEvent

        fields = {name: getattr(result, name) for name in _RESULT_FIELDS}
        return await self._emit(ToolResultEvent(**self._names, input=frozen(arguments), **fields))


_RESULT_FIELDS = [field.name for field in attrs.fields(ToolResult) if field.name != "terminate"]


class UpdateStream:
    """Turns updates, which a tool shows without waiting, into events, one after another in order.

    Args:
        events: Fires them.
    """

    def __init__(self, events: CallEvents) -> None:
        self._events = events
        self._waiting: deque[ToolResult] = deque()
        self._sender: asyncio.Task[None] | None = None
        self._closed = False

    def push(self, partial: ToolResult) -> None:
        """Take an update; one that comes after the call has ended is too late and is left out."""
        if self._closed:
            return
        self._waiting.append(partial)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        while self._waiting:
            await self._events.update(self._waiting.popleft())

    async def close(self) -> None:
        """Return once every update has been sent."""
        self._closed = True
        if self._sender is not None:
            await self._sender
