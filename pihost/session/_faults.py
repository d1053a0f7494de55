"""Faults and refusals of extensions: shown in the stream, and kept where no model's word can hide them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pihost.diagnostics import ExtensionError
from pihost.entries import CustomEntry
from pihost.jsonlines import to_builtins
from pihost.session._state import SessionState

if TYPE_CHECKING:
    from pihost.events import Event, ExtensionErrorEvent, ToolBlockedEvent, TrustRefusedEvent

__all__ = ["Faults"]


class Faults:
    """Records faults with a session.

    Args:
        state: The session.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def record(self, event: ExtensionErrorEvent | ToolBlockedEvent | TrustRefusedEvent) -> None:
        """Show a fault or refusal in the stream and keep it with the session, outside the model's context."""
        self._state.stream.publish(event)
        self._state.parts.store.append(CustomEntry, kind=event.hook_name, data=to_builtins(event))

    def on_extension_error(self, error: ExtensionError) -> None:
        """Record an extension's failure, keys masked."""
        from pihost.events import ExtensionErrorEvent

        mask = self._state.parts.models.mask
        self.record(
            ExtensionErrorEvent(
                extension=error.extension,
                event=error.event,
                error=mask(error.error),
                stack=None if error.stack is None else mask(error.stack),
            )
        )

    def on_block(self, extension: str, event: Event, reason: str) -> None:
        """Record an extension's refusal of a tool call or of a command of the user's."""
        from pihost.events import ToolBlockedEvent, ToolCallEvent, ToolCallFinalEvent

        call_id, tool = "", "bash"
        if isinstance(event, ToolCallEvent | ToolCallFinalEvent):
            call_id, tool = event.tool_call_id, event.tool_name
        self.record(
            ToolBlockedEvent(extension=extension, tool_call_id=call_id, tool_name=tool, reason=reason)
        )
