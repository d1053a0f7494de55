"""Events of a run that whoever follows it sees: the agent, its turns, messages, tools at work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from pihost.content import ToolResult
from pihost.events._base import Event
from pihost.messages import AssistantMessage, Delta, Message, ToolResultMessage

__all__ = [
    "AgentEndEvent",
    "AgentSettledEvent",
    "AgentStartEvent",
    "MessageEndEvent",
    "MessageStartEvent",
    "MessageUpdateEvent",
    "ToolExecutionEndEvent",
    "ToolExecutionStartEvent",
    "ToolExecutionUpdateEvent",
    "TurnEndEvent",
    "TurnStartEvent",
]


def _messages(value: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(value)


def _results(value: Iterable[ToolResultMessage]) -> tuple[ToolResultMessage, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentStartEvent(Event):
    """A run begins."""

    hook_name: ClassVar[str] = "agent_start"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentEndEvent(Event):
    """A run has ended; queued messages may start another.

    Attributes:
        messages: The messages of the run, the prompt first.
    """

    hook_name: ClassVar[str] = "agent_end"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentSettledEvent(Event):
    """Nothing will continue by itself."""

    hook_name: ClassVar[str] = "agent_settled"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TurnStartEvent(Event):
    """The model is about to be asked.

    Attributes:
        turn_index: Number of the turn in its run, from 0.
        timestamp: Milliseconds since the epoch.
    """

    hook_name: ClassVar[str] = "turn_start"
    turn_index: int
    timestamp: int


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TurnEndEvent(Event):
    """The model has answered, and the tools it asked for have run.

    Attributes:
        turn_index: Number of the turn in its run, from 0.
        message: The answer.
        tool_results: One result for each call, in call order.
    """

    hook_name: ClassVar[str] = "turn_end"
    turn_index: int
    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...] = attrs.field(default=(), converter=_results)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MessageStartEvent(Event):
    """A message begins: whole, or still empty where a model is about to write it.

    Attributes:
        message: The message.
    """

    hook_name: ClassVar[str] = "message_start"
    message: Message


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MessageUpdateEvent(Event):
    """A model wrote more.

    Attributes:
        message: The answer so far.
        delta: What came just now.
    """

    hook_name: ClassVar[str] = "message_update"
    message: AssistantMessage
    delta: Delta


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MessageEndEvent(Event):
    """A message is complete and about to be stored.

    Attributes:
        message: As the handlers before left it.
    """

    hook_name: ClassVar[str] = "message_end"
    message: Message


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolExecutionStartEvent(Event):
    """A tool call begins. Fires for every call, refused, unknown and nested ones too.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        args: The arguments as sent.
        parent_tool_call_id: Id of the call from within which this one was made; ``None`` for the model's own.
    """

    hook_name: ClassVar[str] = "tool_execution_start"
    tool_call_id: str
    tool_name: str
    args: Mapping[str, Any]
    parent_tool_call_id: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolExecutionUpdateEvent(Event):
    """A running tool shows what it has so far.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        args: The arguments as sent.
        parent_tool_call_id: Id of the call from within which this one was made; ``None`` for the model's own.
        partial_result: What there is, in full and not only what is new.
    """

    hook_name: ClassVar[str] = "tool_execution_update"
    tool_call_id: str
    tool_name: str
    args: Mapping[str, Any]
    parent_tool_call_id: str | None = None
    partial_result: ToolResult


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolExecutionEndEvent(Event):
    """A tool call has its result. Pairs up with ``tool_execution_start``.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        args: The arguments as sent.
        parent_tool_call_id: Id of the call from within which this one was made; ``None`` for the model's own.
        result: After ``tool_result``.
        is_error: The same as in the result.
        duration_ms: From start to end.
    """

    hook_name: ClassVar[str] = "tool_execution_end"
    tool_call_id: str
    tool_name: str
    args: Mapping[str, Any]
    parent_tool_call_id: str | None = None
    result: ToolResult
    is_error: bool
    duration_ms: float
