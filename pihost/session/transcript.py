"""The conversation in the form in which any provider takes it, whatever happened to it before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from pihost.content import TextContent, ThinkingContent, ToolCall
from pihost.messages import AssistantMessage, Message, SystemMessage, ToolResultMessage
from pihost.models.wire import whole_text

__all__ = ["sendable"]

_T = TypeVar("_T")
_NO_RESULT = "No result: the session ended before this tool call was finished."


def sendable(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The conversation with one result right behind every tool call, none without a call, no empty answer.

    A process that died, a damaged file or an extension may have left it otherwise.

    Args:
        messages: The conversation, oldest first.
    """
    return tuple(_whole(message) for message in _paired(messages))


def _paired(messages: Iterable[Message]) -> Iterator[Message]:
    messages = tuple(messages)
    results = _results_by_call(messages)
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            if message.content:
                yield message
            for call in message.tool_calls:
                yield results.get((index, call.id)) or _no_result(call)
        elif not isinstance(message, ToolResultMessage):
            yield message


def _results_by_call(messages: Sequence[Message]) -> dict[tuple[int, str], ToolResultMessage]:
    """Each result by the place of the answer that asked for it and the call's id."""
    asked: dict[str, int] = {}
    found: dict[tuple[int, str], ToolResultMessage] = {}
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            asked.update((call.id, index) for call in message.tool_calls)
        elif isinstance(message, ToolResultMessage) and message.tool_call_id in asked:
            found[asked.pop(message.tool_call_id), message.tool_call_id] = message
    return found


def _no_result(call: ToolCall) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call.id, tool_name=call.name, content=[TextContent(text=_NO_RESULT)], is_error=True
    )


def _whole(message: Message) -> Message:
    if isinstance(message, SystemMessage):
        return attrs.evolve(message, text=whole_text(message.text))
    blocks = tuple(_whole_block(block) for block in message.content)
    if all(new is old for new, old in zip(blocks, message.content, strict=True)):
        return message
    # Each block keeps its class, so what the message may hold it still holds.
    return attrs.evolve(message, content=blocks)  # type: ignore[arg-type]


def _whole_block(block: _T) -> _T:
    if isinstance(block, TextContent | ThinkingContent):
        text = whole_text(block.text)
        return block if text is block.text else attrs.evolve(block, text=text)
    if isinstance(block, ToolCall):
        arguments = _whole_value(block.arguments)
        return block if arguments == block.arguments else attrs.evolve(block, arguments=arguments)
    return block


def _whole_value(value: Any) -> Any:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, Mapping):
        return {_whole_value(key): _whole_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_value(item) for item in value]
    return value
