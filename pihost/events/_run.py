"""What handlers are asked while a run goes on: its prompt, its context, its messages, its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import attrs

from pihost._values import Value
from pihost.content import ImageContent
from pihost.events._base import Event
from pihost.events._system_prompt import SystemPromptOptions
from pihost.messages import CustomMessage, Message

__all__ = [
    "AgentBeforeSettleEvent",
    "BeforeAgentStartEvent",
    "BeforeAgentStartResult",
    "ContextEvent",
    "ContextResult",
    "ContextWithSystemEvent",
    "MessageEndResult",
    "Settle",
]


def _messages(value: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(value)


def _customs(value: Iterable[CustomMessage]) -> tuple[CustomMessage, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BeforeAgentStartEvent(Event):
    """A prompt is about to start a run.

    Attributes:
        prompt: The prompt, after ``input``.
        images: Pictures that came with it.
        system_prompt: The system prompt as the handlers before left it.
        system_prompt_options: What it is made of; mutable. Where no handler sets ``system_prompt``, it is
            made anew from these.
    """

    hook_name: ClassVar[str] = "before_agent_start"
    prompt: str
    images: tuple[ImageContent, ...] = ()
    system_prompt: str
    system_prompt_options: SystemPromptOptions


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BeforeAgentStartResult(Value):
    """What a run starts with besides the prompt.

    Attributes:
        message: A message to put before the model; those of all handlers are added in order.
        system_prompt: A new system prompt; the last one counts.
    """

    message: CustomMessage | None = None
    system_prompt: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentBeforeSettleEvent(Event):
    """A run has come to its end and nothing is queued.

    Attributes:
        messages: The messages of the run, and what the handlers before have added.
    """

    hook_name: ClassVar[str] = "agent_before_settle"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Settle(Value):
    """What happens before a run settles.

    Attributes:
        messages: Messages to add to the conversation.
        go_on: Whether the model is asked again.
    """

    messages: tuple[CustomMessage, ...] = attrs.field(default=(), converter=_customs)
    go_on: bool = False


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextEvent(Event):
    """The conversation as the next request will carry it.

    Attributes:
        messages: Without the system prompt.
    """

    hook_name: ClassVar[str] = "context"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextWithSystemEvent(Event):
    """The same after ``context``, with the system message first."""

    hook_name: ClassVar[str] = "context_with_system"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextResult(Value):
    """The conversation to send instead, for this request only.

    Attributes:
        messages: All of it, not only what changed.
    """

    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MessageEndResult(Value):
    """The message to store instead; it must have the same role."""

    message: Message
