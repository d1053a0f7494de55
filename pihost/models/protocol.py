"""How a session asks a model: the request, the pieces of the answer, and who is told meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import attrs

from pihost._values import Value
from pihost.content import Usage
from pihost.context import AbortSignal
from pihost.messages import (
    AssistantMessage,
    Delta,
    Message,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from pihost.model import Model, ThinkingLevel

__all__ = [
    "Done",
    "Error",
    "ModelRequest",
    "Provider",
    "ProviderHooks",
    "Start",
    "StreamEvent",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolSpec",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolSpec(Value):
    """A tool as a model is told of it.

    Attributes:
        name: The tool's name.
        description: What it does, for the model.
        parameters: JSON Schema of its arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


def _messages(value: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(value)


def _tools(value: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ModelRequest(Value):
    """One request for an answer.

    Attributes:
        model: The physical model that is to answer.
        messages: The conversation, without system messages. Every tool call in it has its result, and no
            text holds a lone surrogate.
        tools: The tools the model may ask for.
        system_prompt: The instructions; empty where there are none.
        thinking_level: How long the model may think.
        max_tokens: Tokens the answer may have at most; ``None`` leaves it to the provider.
        signal: Set when the user wants the answer to end.
    """

    model: Model
    messages: tuple[Message, ...] = attrs.field(converter=_messages)
    tools: tuple[ToolSpec, ...] = attrs.field(default=(), converter=_tools)
    system_prompt: str = ""
    thinking_level: ThinkingLevel = "off"
    max_tokens: int | None = None
    signal: AbortSignal


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Start(Value):
    """The provider has begun to answer."""

    type: Literal["start"] = attrs.field(default="start", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Done(Value):
    """The answer is complete.

    Attributes:
        stop_reason: Why it ended.
        usage: What it cost.
        message: All of it.
    """

    stop_reason: StopReason
    usage: Usage
    message: AssistantMessage
    type: Literal["done"] = attrs.field(default="done", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Error(Value):
    """The request failed.

    Attributes:
        message: Why, for people. It holds no key.
        status: The HTTP status, or ``None`` where there was none.
        retryable: Whether the same request may succeed later.
        retry_after: Seconds the provider asks to wait before that; ``None`` where it does not say.
    """

    message: str
    status: int | None = None
    retryable: bool = False
    retry_after: float | None = None
    type: Literal["error"] = attrs.field(default="error", init=False)


StreamEvent = Start | Delta | Done | Error
"""A piece of an answer; the last is a ``Done`` or an ``Error``, and no other is."""


class ProviderHooks(Protocol):
    """What a provider calls while it works, so that extensions take part. Each is called in this order."""

    async def before_headers(self, headers: MutableMapping[str, str | None]) -> None:
        """Let the request's headers be changed in place; those that are ``None`` afterwards are removed."""
        ...

    async def before_request(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body to send instead of ``payload``."""
        ...

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """Say that an answer came, before its body is read."""
        ...

    async def stream_event(self, data: Mapping[str, Any]) -> None:
        """Hand on one piece of the answer as it came."""
        ...


@runtime_checkable
class Provider(Protocol):
    """Offers models and answers requests."""

    @property
    def id(self) -> str:
        """The provider's name."""
        ...

    def models(self) -> Sequence[Model]:
        """The models it offers now; ``provider`` of each is the provider's id."""
        ...

    def stream(self, request: ModelRequest, hooks: ProviderHooks) -> AsyncIterator[StreamEvent]:
        """Answer ``request`` piece by piece, exactly one ``Done`` or ``Error`` last.

        Args:
            request: What to answer.
            hooks: Whom to call on the way.
        """
        ...
