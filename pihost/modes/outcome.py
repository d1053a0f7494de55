"""What came of a prompt, and faults of extensions as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pihost.events import MessageEndEvent, ToolExecutionEndEvent
from pihost.messages import AssistantMessage

if TYPE_CHECKING:
    from pihost.events import Event, ExtensionErrorEvent

__all__ = ["Outcome", "describe_fault"]

_ABORTED = "the run was aborted"


class Outcome:
    """What came of one prompt, as its events tell it.

    Attributes:
        answer: The last answer of the model; ``None`` where it was not asked.
        told: What commands of the host's own had to say.
    """

    def __init__(self) -> None:
        self.answer: AssistantMessage | None = None
        self.told: list[str] = []
        self._unanswered = False
        self._failed_command: str | None = None

    def take(self, event: Event) -> None:
        """Take in the next event."""
        if isinstance(event, MessageEndEvent) and isinstance(event.message, AssistantMessage):
            self.answer = event.message
            self._unanswered = False
        elif event.hook_name == "agent_start" or (
            isinstance(event, ToolExecutionEndEvent) and event.is_error
        ):
            self._unanswered = True
        elif event.hook_name == "command_output":
            self._take_output(event)
        elif (error := _extension_error(event)) is not None and error.event.startswith("command "):
            self._failed_command = f"the {error.event} failed"

    def _take_output(self, event: Event) -> None:
        from pihost.events import CommandOutputEvent

        if not isinstance(event, CommandOutputEvent):
            return
        if event.is_error:
            self._failed_command = event.text
        else:
            self.told.append(event.text)

    @property
    def failure(self) -> str | None:
        """Why the run failed, as a clause; ``None`` where it did not."""
        if self.answer is not None and self.answer.stop_reason in ("error", "aborted"):
            return self.answer.error_message or _ABORTED
        if self._unanswered:  # it ended before the model could say anything to it
            return _ABORTED
        return self._failed_command


def describe_fault(event: Event) -> str | None:
    """A sentence for an event that tells of a fault or a block; ``None`` for any other."""
    if (error := _extension_error(event)) is not None:
        return f"Extension {error.extension!r} failed in {error.event}: {error.error}"
    if event.hook_name != "tool_blocked":
        return None
    from pihost.events import ToolBlockedEvent

    if isinstance(event, ToolBlockedEvent):
        return f"Extension {event.extension!r} blocked {event.tool_name}: {event.reason}"
    return None


def _extension_error(event: Event) -> ExtensionErrorEvent | None:
    """The event, if it is one; its class is made for those only who have to do with faults."""
    if event.hook_name != "extension_error":
        return None
    from pihost.events import ExtensionErrorEvent

    return event if isinstance(event, ExtensionErrorEvent) else None
