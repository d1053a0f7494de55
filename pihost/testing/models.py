"""A model that gives the answers it was handed."""

from __future__ import annotations

import inspect
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from pihost.content import TextContent, ThinkingContent, ToolCall, Usage
from pihost.messages import AssistantMessage, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.model import Model
from pihost.models.protocol import Done, Error, ModelRequest, ProviderHooks, Start, StreamEvent

__all__ = ["Answer", "ScriptedModel", "asks"]

Block = str | TextContent | ThinkingContent | ToolCall
Answer = (
    Block
    | Sequence[Block]
    | AssistantMessage
    | Error
    | Exception
    | Callable[[ModelRequest], "Answer | Awaitable[Answer]"]
)
"""Text, a tool call (see ``asks``), a row of these, a message, a failure, or what makes one of a request."""


def asks(tool: str, **arguments: Any) -> ToolCall:
    """A tool call, as the answer of a ``ScriptedModel`` or part of one.

    Args:
        tool: Name of the tool.
        arguments: Its arguments.
    """
    return ToolCall(id="", name=tool, arguments=arguments)


class ScriptedModel:
    """A provider with one model, ``scripted/model``, that gives set answers, one a request.

    A request without an answer left fails, and says so. Tool calls without an id get one.

    Attributes:
        id: The provider's name.
        model: Its model.
        requests: The requests made so far.

    Args:
        answers: The first answers.
    """

    id = "scripted"
    model = Model(provider="scripted", id="model", api="scripted", context_window=100_000)

    def __init__(self, *answers: Answer) -> None:
        self._answers = deque(answers)
        self._calls = 0
        self.requests: list[ModelRequest] = []

    def answer(self, *answers: Answer) -> None:
        """Add answers after those that wait.

        Args:
            answers: One for each further request.
        """
        self._answers.extend(answers)

    @property
    def is_done(self) -> bool:
        """Whether every answer has been given."""
        return not self._answers

    def models(self) -> Sequence[Model]:
        """The one model."""
        return [self.model]

    async def stream(self, request: ModelRequest, hooks: ProviderHooks) -> AsyncIterator[StreamEvent]:
        """Give the next answer piece by piece, calling every hook of a provider on the way.

        Args:
            request: Kept in ``requests``.
            hooks: Called with invented headers and a payload that holds the number of messages.

        Raises:
            Exception: the one that stands in the answer's place.
        """
        self.requests.append(request)
        await hooks.before_headers({"x-scripted": "1"})
        await hooks.before_request({"messages": len(request.messages)})
        await hooks.after_response(200, {"x-scripted": "1"})
        answer = await self._next(request)
        if isinstance(answer, Error):
            yield answer
            return
        yield Start()
        for index, block in enumerate(answer.content):
            delta = _delta(index, block)
            await hooks.stream_event({"index": index, "type": delta.type})
            yield delta
        yield Done(stop_reason=answer.stop_reason, usage=answer.usage, message=answer)

    async def _next(self, request: ModelRequest) -> AssistantMessage | Error:
        if not self._answers:
            return Error(message=f"the scripted model has no answer left for request {len(self.requests)}")
        answer: Any = self._answers.popleft()
        if callable(answer):
            answer = answer(request)
            if inspect.isawaitable(answer):
                answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Error | AssistantMessage) else self._message(answer)

    def _message(self, answer: Block | Sequence[Block]) -> AssistantMessage:
        parts = [answer] if isinstance(answer, str) or not isinstance(answer, Sequence) else answer
        blocks = [self._block(part) for part in parts]
        asked = any(isinstance(block, ToolCall) for block in blocks)
        return AssistantMessage(
            content=blocks,
            stop_reason="tool_use" if asked else "stop",
            usage=Usage(input=10, output=5),
        )

    def _block(self, part: Block) -> TextContent | ThinkingContent | ToolCall:
        if isinstance(part, str):
            return TextContent(text=part)
        if isinstance(part, ToolCall) and not part.id:
            self._calls += 1
            return ToolCall(id=f"call-{self._calls}", name=part.name, arguments=part.arguments)
        return part


def _delta(index: int, block: Any) -> TextDelta | ThinkingDelta | ToolCallDelta:
    if isinstance(block, ToolCall):
        arguments = json.dumps(dict(block.arguments))
        return ToolCallDelta(index=index, id=block.id, name=block.name, arguments_json=arguments)
    if isinstance(block, ThinkingContent):
        return ThinkingDelta(index=index, text=block.text, signature=block.signature)
    return TextDelta(index=index, text=block.text)
