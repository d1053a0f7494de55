"""An answer under way: the pieces a provider sends, put together; at the end, what it cost."""

from __future__ import annotations

from typing import Any

import attrs

from pihost.content import TextContent, ThinkingContent, ToolCall, Usage
from pihost.jsonlines import decode
from pihost.messages import (
    AnswerBlock,
    AssistantMessage,
    Delta,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    now_ms,
)
from pihost.model import Model
from pihost.models.protocol import Done
from pihost.nesting import is_too_deep

__all__ = ["Answer"]


@attrs.define(kw_only=True, eq=False, repr=False)
class _Call:
    """A tool call of which not everything has come."""

    id: str = ""
    name: str = ""
    arguments_json: str = ""

    def block(self) -> ToolCall:
        arguments = self._arguments()
        if arguments is None:
            return ToolCall(id=self.id, name=self.name, invalid_json=self.arguments_json)
        return ToolCall(id=self.id, name=self.name, arguments=arguments)

    def _arguments(self) -> dict[str, Any] | None:
        if not self.arguments_json.strip():  # how most providers send a call without arguments
            return {}
        try:
            arguments = decode(self.arguments_json)
        except ValueError:
            return None
        return arguments if isinstance(arguments, dict) and not is_too_deep(arguments) else None


class Answer:
    """Collects the pieces of one answer.

    Args:
        model: The physical model that gives it.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._blocks: dict[int, TextContent | ThinkingContent | _Call] = {}
        self._started = now_ms()

    def add(self, delta: Delta) -> None:
        """Take the next piece in."""
        old = self._blocks.get(delta.index)
        match delta:
            case TextDelta():
                text = old.text if isinstance(old, TextContent) else ""
                self._blocks[delta.index] = TextContent(text=text + delta.text)
            case ThinkingDelta():
                thought = old if isinstance(old, ThinkingContent) else ThinkingContent(text="")
                self._blocks[delta.index] = ThinkingContent(
                    text=thought.text + delta.text, signature=delta.signature or thought.signature
                )
            case ToolCallDelta():
                call = old if isinstance(old, _Call) else _Call()
                call.id, call.name = delta.id or call.id, delta.name or call.name
                call.arguments_json += delta.arguments_json
                self._blocks[delta.index] = call

    def so_far(self) -> AssistantMessage:
        """The answer as far as it has come."""
        return self._message(tuple(self._blocks[index] for index in sorted(self._blocks)), "stop")

    def done(self, stop_reason: StopReason, usage: Usage) -> Done:
        """The end of a complete answer, its cost worked out from the model's prices.

        Args:
            stop_reason: Why it ended; ``"stop"`` becomes ``"tool_use"`` where it holds tool calls.
            usage: Its tokens; a cost that is given stays.
        """
        message = self.so_far()
        if stop_reason == "stop" and message.tool_calls:
            stop_reason = "tool_use"
        usage = attrs.evolve(usage, cost=usage.cost or _cost(self.model, usage))
        return Done(
            stop_reason=stop_reason,
            usage=usage,
            message=attrs.evolve(message, stop_reason=stop_reason, usage=usage),
        )

    def cut(self, stop_reason: StopReason, error_message: str | None = None) -> AssistantMessage:
        """The answer where it broke off. Tool calls, which may be cut themselves, are no part of it.

        Args:
            stop_reason: Why it broke off.
            error_message: What went wrong, if something did.
        """
        kept = tuple(block for _, block in sorted(self._blocks.items()) if not isinstance(block, _Call))
        return attrs.evolve(self._message(kept, stop_reason), error_message=error_message)

    def finished(self, done: Done) -> AssistantMessage:
        """The answer as the provider gives it at the end."""
        message = done.message
        return attrs.evolve(
            message,
            stop_reason=done.stop_reason,
            usage=done.usage,
            provider=message.provider or self.model.provider,
            api=message.api or self.model.api,
            model=message.model or self.model.id,
        )

    def _message(
        self, blocks: tuple[TextContent | ThinkingContent | _Call, ...], stop_reason: StopReason
    ) -> AssistantMessage:
        content: list[AnswerBlock] = [
            block.block() if isinstance(block, _Call) else block for block in blocks
        ]
        return AssistantMessage(
            content=content,
            provider=self.model.provider,
            api=self.model.api,
            model=self.model.id,
            stop_reason=stop_reason,
            timestamp=self._started,
        )


def _cost(model: Model, usage: Usage) -> float:
    read = model.input_cost if model.cache_read_cost is None else model.cache_read_cost
    write = model.input_cost if model.cache_write_cost is None else model.cache_write_cost
    spent = (
        usage.input * model.input_cost
        + usage.output * model.output_cost
        + usage.cache_read * read
        + usage.cache_write * write
    )
    return spent / 1_000_000
