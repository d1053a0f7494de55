"""Events of a run: the agent, its turns, the context, the provider's request, messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, ClassVar

import attrs

from pihost.content import ImageContent
from pihost.events._base import Event
from pihost.messages import AssistantMessage, CustomMessage, Delta, Message, ToolResultMessage

__all__ = [
    "AfterProviderResponseEvent",
    "AgentBeforeSettleEvent",
    "AgentEndEvent",
    "AgentSettledEvent",
    "AgentStartEvent",
    "BeforeAgentStartEvent",
    "BeforeAgentStartResult",
    "BeforeProviderHeadersEvent",
    "BeforeProviderRequestEvent",
    "ContextEvent",
    "ContextResult",
    "ContextWithSystemEvent",
    "MessageEndEvent",
    "MessageEndResult",
    "MessageStartEvent",
    "MessageUpdateEvent",
    "ProviderStreamEventEvent",
    "Settle",
    "SystemPromptOptions",
    "TurnEndEvent",
    "TurnStartEvent",
]


def _messages(value: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(value)


def _customs(value: Iterable[CustomMessage]) -> tuple[CustomMessage, ...]:
    return tuple(value)


def _results(value: Iterable[ToolResultMessage]) -> tuple[ToolResultMessage, ...]:
    return tuple(value)


@attrs.define(kw_only=True)
class SystemPromptOptions:
    """What the system prompt is made of. Mutable: what a handler changes counts for this run.

    Attributes:
        custom_prompt: Stands in place of the whole built-in prompt.
        append: Paragraphs after it.
        tool_snippets: One line for each active tool, by tool name.
        guidelines: Sentences on how to work, from the active tools.
    """

    custom_prompt: str | None = None
    append: list[str] = attrs.field(factory=list)
    tool_snippets: dict[str, str] = attrs.field(factory=dict)
    guidelines: list[str] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class BeforeAgentStartEvent(Event):
    """A prompt is about to start a run.

    Attributes:
        prompt: The prompt, after ``input``.
        images: Pictures that came with it.
        system_prompt: The system prompt as the handlers before left it.
        system_prompt_options: What it is made of; mutable. Where no handler sets ``system_prompt``, it is
            made anew from these.
    """

    name: ClassVar[str] = "before_agent_start"
    prompt: str
    images: tuple[ImageContent, ...] = ()
    system_prompt: str
    system_prompt_options: SystemPromptOptions


@attrs.frozen(kw_only=True)
class BeforeAgentStartResult:
    """What a run starts with besides the prompt.

    Attributes:
        message: A message to put before the model; those of all handlers are added in order.
        system_prompt: A new system prompt; the last one counts.
    """

    message: CustomMessage | None = None
    system_prompt: str | None = None


@attrs.frozen(kw_only=True)
class AgentBeforeSettleEvent(Event):
    """A run has come to its end and nothing is queued.

    Attributes:
        messages: The messages of the run, and what the handlers before have added.
    """

    name: ClassVar[str] = "agent_before_settle"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True)
class Settle:
    """What happens before a run settles.

    Attributes:
        messages: Messages to add to the conversation.
        go_on: Whether the model is asked again.
    """

    messages: tuple[CustomMessage, ...] = attrs.field(default=(), converter=_customs)
    go_on: bool = False


@attrs.frozen(kw_only=True)
class AgentStartEvent(Event):
    """A run begins."""

    name: ClassVar[str] = "agent_start"


@attrs.frozen(kw_only=True)
class AgentEndEvent(Event):
    """A run has ended; queued messages may start another.

    Attributes:
        messages: The messages of the run, the prompt first.
    """

    name: ClassVar[str] = "agent_end"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True)
class AgentSettledEvent(Event):
    """Nothing will continue by itself."""

    name: ClassVar[str] = "agent_settled"


@attrs.frozen(kw_only=True)
class TurnStartEvent(Event):
    """The model is about to be asked.

    Attributes:
        turn_index: Number of the turn in its run, from 0.
        timestamp: Milliseconds since the epoch.
    """

    name: ClassVar[str] = "turn_start"
    turn_index: int
    timestamp: int


@attrs.frozen(kw_only=True)
class TurnEndEvent(Event):
    """The model has answered, and the tools it asked for have run.

    Attributes:
        turn_index: Number of the turn in its run, from 0.
        message: The answer.
        tool_results: One result for each call, in call order.
    """

    name: ClassVar[str] = "turn_end"
    turn_index: int
    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...] = attrs.field(default=(), converter=_results)


@attrs.frozen(kw_only=True)
class ContextEvent(Event):
    """The conversation as the next request will carry it.

    Attributes:
        messages: Without the system prompt.
    """

    name: ClassVar[str] = "context"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True)
class ContextWithSystemEvent(Event):
    """The same after ``context``, with the system message first."""

    name: ClassVar[str] = "context_with_system"
    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True)
class ContextResult:
    """The conversation to send instead, for this request only.

    Attributes:
        messages: All of it, not only what changed.
    """

    messages: tuple[Message, ...] = attrs.field(converter=_messages)


@attrs.frozen(kw_only=True)
class BeforeProviderHeadersEvent(Event):
    """The headers of a request, before it is sent.

    Attributes:
        headers: Mutable; setting a header to ``None`` removes it.
    """

    name: ClassVar[str] = "before_provider_headers"
    headers: MutableMapping[str, str | None]


@attrs.frozen(kw_only=True)
class BeforeProviderRequestEvent(Event):
    """The body of a request, before it is sent.

    Attributes:
        payload: In the provider's own form.
    """

    name: ClassVar[str] = "before_provider_request"
    payload: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class AfterProviderResponseEvent(Event):
    """A provider answered; its body has not been read.

    Attributes:
        status: The HTTP status, or 200 where the provider does not speak HTTP.
        headers: The response's headers, names in lower case.
    """

    name: ClassVar[str] = "after_provider_response"
    status: int
    headers: Mapping[str, str]


@attrs.frozen(kw_only=True)
class ProviderStreamEventEvent(Event):
    """One piece of a provider's answer, as it came.

    Attributes:
        provider: Id of the provider.
        api: The wire API.
        model: Id of the model.
        data: The piece in the provider's own form, to read only.
    """

    name: ClassVar[str] = "provider_stream_event"
    provider: str
    api: str
    model: str
    data: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class MessageStartEvent(Event):
    """A message begins: whole, or still empty where a model is about to write it."""

    name: ClassVar[str] = "message_start"
    message: Message


@attrs.frozen(kw_only=True)
class MessageUpdateEvent(Event):
    """A model wrote more.

    Attributes:
        message: The answer so far.
        delta: What came just now.
    """

    name: ClassVar[str] = "message_update"
    message: AssistantMessage
    delta: Delta


@attrs.frozen(kw_only=True)
class MessageEndEvent(Event):
    """A message is complete and about to be stored.

    Attributes:
        message: As the handlers before left it.
    """

    name: ClassVar[str] = "message_end"
    message: Message


@attrs.frozen(kw_only=True)
class MessageEndResult:
    """The message to store instead; it must have the same role."""

    message: Message
