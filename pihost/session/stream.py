"""A session's events on their way: all go to the hooks, those of the stream to its listeners too."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import attrs

from pihost.events import Event, MessageEndEvent
from pihost.hooks.protocol import Dispatcher
from pihost.messages import Message

__all__ = ["STREAM_EVENTS", "EventStream"]

STREAM_EVENTS = frozenset(
    {
        "agent_end",
        "agent_settled",
        "agent_start",
        "command_output",
        "extension_error",
        "message_end",
        "message_start",
        "message_update",
        "model_select",
        "retry",
        "session_compact",
        "session_compact_failed",
        "session_info_changed",
        "thinking_level_select",
        "tool_blocked",
        "tool_execution_end",
        "tool_execution_start",
        "tool_execution_update",
        "trust_refused",
        "turn_end",
        "turn_start",
    }
)
"""Names of the events that listeners see. Payloads, keys and whole contexts are never among them."""


class EventStream:
    """A ``Dispatcher`` in front of the extensions that lets listeners see what happens.

    Args:
        hooks: Takes the events to the handlers.
    """

    def __init__(self, hooks: Dispatcher) -> None:
        self._hooks = hooks
        self._listeners: dict[int, Callable[[Event], None]] = {}
        self._next = 0

    async def emit(self, event: Event) -> object:
        """Show the event to the listeners and take it to the handlers.

        A message that ends is shown as the handlers leave it; every other event before they are called.

        Args:
            event: What happens.

        Returns:
            What the answers come to; a message that ends; else ``None`` where nobody answers.
        """
        if isinstance(event, MessageEndEvent):
            answer = await self._answer(event)
            message = answer if isinstance(answer, get_args(Message)) else event.message
            self.publish(attrs.evolve(event, message=message))
            return message
        self.publish(event)
        return await self._answer(event)

    async def _answer(self, event: Event) -> object:
        return await self._hooks.emit(event) if self._hooks.has_handlers(event.hook_name) else None

    def has_handlers(self, name: str) -> bool:
        """Whether any handler answers the hook ``name``."""
        return self._hooks.has_handlers(name)

    def publish(self, event: Event) -> None:
        """Show an event to the listeners alone, if it is one of the stream."""
        if event.hook_name in STREAM_EVENTS:
            for listener in tuple(self._listeners.values()):
                listener(event)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Show every event of the stream to ``listener``; the returned function ends it."""
        key = self._next
        self._next += 1
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None
