"""Chat Completions: a conversation as its payload, and its chunks as pieces of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pihost.models import (
    Answer,
    AssistantMessage,
    Done,
    Error,
    ImageContent,
    Message,
    ModelRequest,
    SystemMessage,
    TextContent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultMessage,
    Usage,
    plain_call_ids,
)

__all__ = ["CompletionsReader", "completions_payload"]

_EFFORT = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}
_End = Literal["stop", "length", "tool_use"]
_ENDS: Mapping[str, _End] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
}
_THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put what the model thinks; the API itself has no place for it."""
_PICTURES = "The pictures of the tool results above:"


def completions_payload(request: ModelRequest, *, openai: bool) -> dict[str, Any]:
    """The body of a request.

    Args:
        request: What is asked.
        openai: Whether it goes to OpenAI itself, which names the limit of tokens otherwise than the rest.
    """
    messages = [{"role": "system", "content": request.system_prompt}] if request.system_prompt else []
    payload: dict[str, Any] = {
        "model": request.model.id,
        "messages": [*messages, *_messages(plain_call_ids(request.messages))],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        payload["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in request.tools
        ]
    if request.max_tokens:
        payload["max_completion_tokens" if openai else "max_tokens"] = request.max_tokens
    if request.model.reasoning and request.thinking_level in _EFFORT:
        payload["reasoning_effort"] = _EFFORT[request.thinking_level]
    return payload


def _messages(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    pictures: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ToolResultMessage):
            # A tool's message holds text only, and nothing may come between those of one answer.
            pictures += [_image(block) for block in message.content if isinstance(block, ImageContent)]
            text = message.text or ("(see the pictures below)" if pictures else "(no output)")
            yield {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
            continue
        if pictures:
            yield {"role": "user", "content": [{"type": "text", "text": _PICTURES}, *pictures]}
            pictures = []
        if isinstance(message, AssistantMessage):
            yield from _answer(message)
        elif not isinstance(message, SystemMessage):  # which a request has beside the conversation
            content = _content(message.content)
            if content:
                yield {"role": "user", "content": content}
    if pictures:
        yield {"role": "user", "content": [{"type": "text", "text": _PICTURES}, *pictures]}


def _answer(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    made: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    if made["content"] or message.tool_calls:
        yield made


def _content(blocks: Sequence[Any]) -> str | list[dict[str, Any]]:
    parts = [_image(one) if isinstance(one, ImageContent) else _text(one) for one in blocks]
    found = [part for part in parts if part is not None]
    if all(part["type"] == "text" for part in found):
        return "\n".join(part["text"] for part in found)
    return found


def _text(block: Any) -> dict[str, Any] | None:
    return {"type": "text", "text": block.text} if isinstance(block, TextContent) and block.text else None


def _image(block: ImageContent) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{block.mime_type};base64,{block.data}"}}


class CompletionsReader:
    """Reads the chunks of one answer. Blocks are numbered as they begin."""

    def __init__(self) -> None:
        self._blocks: dict[object, int] = {}
        self._begun = 0
        self._ids: dict[object, str] = {}
        self._end: str | None = None
        self._usage = Usage()
        self._error: str | None = None

    def read(self, event: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta | ToolCallDelta]:
        """The pieces in one chunk.

        Args:
            event: The chunk.
        """
        self._usage = _usage(event) or self._usage
        choices = event.get("choices") or [{}]
        choice = choices[0] if isinstance(choices[0], Mapping) else {}
        self._end = choice.get("finish_reason") or self._end
        delta = choice.get("delta") or {}
        thought = next((delta[name] for name in _THOUGHTS if isinstance(delta.get(name), str)), "")
        if thought:
            yield ThinkingDelta(index=self._index("thought"), text=thought)
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str) and delta[name]:
                yield TextDelta(index=self._index("text"), text=delta[name])
        for number, call in enumerate(delta.get("tool_calls") or ()):
            if isinstance(call, Mapping):
                yield self._call(number, call)

    def end(self, answer: Answer) -> Done | Error:
        """The end of the answer.

        Args:
            answer: What has come.
        """
        if self._end is None:
            return Error(message="The server's answer broke off", retryable=True)
        if self._end == "content_filter":
            return Error(message="The server's content filter stopped the answer")
        return answer.done(_ENDS.get(self._end, "stop"), self._usage)

    def _call(self, number: int, call: Mapping[str, Any]) -> ToolCallDelta:
        function = call.get("function") or {}
        place = call.get("index")
        # Some servers send whole calls without a number; then the id tells them apart.
        key = ("call", place if place is not None else (call.get("id") or number))
        if call.get("id") and self._ids.get(key, call["id"]) != call["id"]:
            self._blocks.pop(key)  # and others give every call the same number
        if call.get("id"):
            self._ids[key] = call["id"]
        first = key not in self._blocks
        index = self._index(key)
        call_id = call.get("id") or (f"call_{index}" if first else None)
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        return ToolCallDelta(
            index=index, id=call_id, name=function.get("name") or None, arguments_json=arguments
        )

    def _index(self, key: object) -> int:
        if key not in self._blocks:
            self._blocks[key] = self._begun
            self._begun += 1
        return self._blocks[key]


def _usage(event: Mapping[str, Any]) -> Usage | None:
    usage = event.get("usage")
    if not isinstance(usage, Mapping):
        return None
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(
        input=max(0, (usage.get("prompt_tokens") or 0) - cached),
        output=usage.get("completion_tokens") or 0,
        cache_read=cached,
    )
