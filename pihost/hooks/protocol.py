"""What the rest of the house knows of hooks: somebody who takes events and gives their final value."""

from __future__ import annotations

from typing import Protocol

from pihost.events import Event

__all__ = ["Dispatcher"]


class Dispatcher(Protocol):
    """Whoever events are handed to. The runner is one, and so is a session's stream."""

    async def emit(self, event: Event) -> object:
        """Call every handler of the event and give what their answers combine to.

        By kind: notify ``None``; chain the final value; gate the answer that ended it or ``None``; first the
        answer or ``None``; collect a list of ``(extension id, answer)``.

        Final values of chains: ``input`` InputResult; ``before_agent_start`` (messages, system prompt);
        ``context`` and ``context_with_system`` a tuple of messages; ``before_provider_request`` the payload;
        ``message_end`` Message; ``tool_result`` ToolResult; ``agent_before_settle`` Settle.
        """
        ...

    def has_handlers(self, name: str) -> bool:
        """Whether anybody answers the hook, so that an event worth nothing need not be made."""
        ...
