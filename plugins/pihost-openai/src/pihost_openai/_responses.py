"""The Responses API: a conversation as its payload, and its events as pieces of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pihost.models import (
    Answer,
    AssistantMessage,
    Done,
    Error,
    ImageContent,
    Message,
    Model,
    ModelRequest,
    SystemMessage,
    TextContent,
    TextDelta,
    ThinkingContent,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    ToolResultMessage,
    Usage,
    plain_call_ids,
)
from pihost_openai._request import reported_error

__all__ = ["ResponsesReader", "responses_payload"]

_EFFORT = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}
_API = "openai-responses"


def responses_payload(request: ModelRequest) -> dict[str, Any]:
    """The body of a request. Nothing is stored at the provider: thoughts travel with the conversation.

    Args:
        request: What is asked.
    """
    payload: dict[str, Any] = {
        "model": request.model.id,
        "input": [*_items(plain_call_ids(request.messages), request.model)],
        "stream": True,
        "store": False,
    }
    if request.system_prompt:
        payload["instructions"] = request.system_prompt
    if request.tools:
        payload["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "strict": False,
            }
            for tool in request.tools
        ]
    if request.max_tokens:
        payload["max_output_tokens"] = request.max_tokens
    effort = _EFFORT.get(request.thinking_level)
    if request.model.reasoning:
        payload["include"] = ["reasoning.encrypted_content"]
        if effort:
            payload["reasoning"] = {"effort": effort, "summary": "auto"}
    return payload


def _items(messages: Iterable[Message], model: Model) -> Iterator[dict[str, Any]]:
    for message in messages:
        if isinstance(message, ToolResultMessage):
            yield {
                "type": "function_call_output",
                "call_id": message.tool_call_id,
                "output": _output(message),
            }
        elif isinstance(message, AssistantMessage):
            yield from _answer(message, model)
        elif not isinstance(message, SystemMessage):  # which a request has beside the conversation
            content = [part for part in map(_part, message.content) if part is not None]
            if content:
                yield {"role": "user", "content": content}


def _output(message: ToolResultMessage) -> str | list[dict[str, Any]]:
    if not any(isinstance(block, ImageContent) for block in message.content):
        return message.text or "(no output)"
    return [part for part in map(_part, message.content) if part is not None]


def _answer(message: AssistantMessage, model: Model) -> Iterator[dict[str, Any]]:
    own = (message.api, message.provider, message.model) == (_API, model.provider, model.id)
    blocks = message.content
    for place, block in enumerate(blocks):
        if isinstance(block, TextContent) and block.text:
            yield {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": block.text}],
            }
        elif isinstance(block, ToolCall):
            arguments = json.dumps(dict(block.arguments))
            yield {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": arguments}
        elif isinstance(block, ThinkingContent) and own and _is_followed(blocks[place + 1 :]):
            yield from _thought(block)


def _is_followed(rest: Sequence[Any]) -> bool:
    """A thought must not stand last: an answer that broke off may have left it so."""
    return any(isinstance(one, ToolCall) or (isinstance(one, TextContent) and one.text) for one in rest)


def _thought(block: ThinkingContent) -> Iterator[dict[str, Any]]:
    """The item that the provider gave, word for word; a thought of which there is none is left out."""
    try:
        item = json.loads(block.signature or "")
    except (ValueError, RecursionError):
        return
    if isinstance(item, dict) and item.get("type") == "reasoning":
        yield item


def _part(block: Any) -> dict[str, Any] | None:
    if isinstance(block, ImageContent):
        return {"type": "input_image", "image_url": f"data:{block.mime_type};base64,{block.data}"}
    if isinstance(block, TextContent) and block.text:
        return {"type": "input_text", "text": block.text}
    return None


class ResponsesReader:
    """Reads the events of one answer. Blocks have the numbers of the provider's items."""

    def __init__(self) -> None:
        self._final: Mapping[str, Any] | None = None
        self._error: Error | None = None
        self._summaries: set[int] = set()

    def read(self, event: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta | ToolCallDelta]:
        """The pieces in one event.

        Args:
            event: The event.
        """
        index = event.get("output_index") or 0
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                yield TextDelta(index=index, text=event.get("delta") or "")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield ThinkingDelta(index=index, text=event.get("delta") or "")
            case "response.reasoning_summary_part.added":
                if index in self._summaries:
                    yield ThinkingDelta(index=index, text="\n\n")
                self._summaries.add(index)
            case "response.function_call_arguments.delta":
                yield ToolCallDelta(index=index, arguments_json=event.get("delta") or "")
            case "response.output_item.added" | "response.output_item.done" as kind:
                yield from _item(index, event.get("item") or {}, is_done=kind.endswith("done"))
            case "response.completed" | "response.incomplete" | "response.failed":
                self._final = event.get("response") or {}
            case "error":
                self._error = reported_error(event)
            case _:  # there are many more, which say nothing that these do not
                pass

    def end(self, answer: Answer) -> Done | Error:
        """The end of the answer.

        Args:
            answer: What has come.
        """
        if self._error is not None:
            return self._error
        final = self._final
        if final is None:
            return Error(message="The server's answer broke off", retryable=True)
        if final.get("status") == "failed":
            return reported_error(final.get("error") or {})
        cut = (final.get("incomplete_details") or {}).get("reason")
        if cut == "content_filter":
            return Error(message="The server's content filter stopped the answer")
        return answer.done("length" if cut == "max_output_tokens" else "stop", _usage(final))


def _item(index: int, item: Mapping[str, Any], *, is_done: bool) -> Iterator[ThinkingDelta | ToolCallDelta]:
    if item.get("type") == "function_call" and not is_done:
        yield ToolCallDelta(index=index, id=item.get("call_id"), name=item.get("name"))
    elif item.get("type") == "reasoning" and is_done:
        kept = {name: item[name] for name in ("type", "id", "summary", "encrypted_content") if name in item}
        yield ThinkingDelta(index=index, text="", signature=json.dumps(kept))


def _usage(final: Mapping[str, Any]) -> Usage:
    usage = final.get("usage") or {}
    cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(
        input=max(0, (usage.get("input_tokens") or 0) - cached),
        output=usage.get("output_tokens") or 0,
        cache_read=cached,
    )
