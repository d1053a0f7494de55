"""A conversation as the body of a request to the Messages API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pihost.models import (
    AssistantMessage,
    ImageContent,
    Message,
    Model,
    ModelRequest,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    plain_call_ids,
)
from pihost_anthropic._reader import REDACTED

__all__ = ["messages_payload"]

_API = "anthropic-messages"
_MAX_TOKENS = 8192
_LEAST_BUDGET = 1024
_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 32_768}
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh"}
_WITH_BUDGET = re.compile(r"claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-\d{8}|$))")
"""Models that are told how long to think in tokens; later ones are told how hard to try."""
_CACHED: Mapping[str, Any] = {"cache_control": {"type": "ephemeral"}}
_NO_OUTPUT = {"type": "text", "text": "(no output)"}
"""A failed call without any is refused by the API."""
_BEGIN = "(The conversation goes on.)"
_GO_ON = "Go on."


def messages_payload(request: ModelRequest) -> dict[str, Any]:
    """The body of a request. System prompt, tools and conversation are marked to be cached.

    Args:
        request: What is asked.
    """
    messages = _messages(plain_call_ids(request.messages), request.model)
    payload: dict[str, Any] = {
        "model": request.model.id,
        "max_tokens": request.max_tokens or request.model.max_tokens or _MAX_TOKENS,
        "messages": messages,
        "stream": True,
    }
    if request.system_prompt.strip():
        payload["system"] = [{"type": "text", "text": request.system_prompt, **_CACHED}]
    if request.tools:
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in request.tools
        ]
        payload["tools"] = [*tools[:-1], {**tools[-1], **_CACHED}]
    messages[-1]["content"][-1] = {**messages[-1]["content"][-1], **_CACHED}
    return {**payload, **_thinking(request, payload["max_tokens"], messages)}


def _thinking(
    request: ModelRequest, max_tokens: int, messages: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    level = request.thinking_level
    if level not in _BUDGETS or not request.model.reasoning:
        return {}
    if not _WITH_BUDGET.match(request.model.id):
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": _EFFORTS[level]}}
    budget = min(_BUDGETS[level], max_tokens - _LEAST_BUDGET)
    if budget < _LEAST_BUDGET or _must_not_begin_to_think(messages):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _must_not_begin_to_think(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether tools have run since an answer without a thought: the API takes no thoughts in between."""
    answers = [one for one in messages if one["role"] == "assistant"]
    if not answers or not any(block["type"] == "tool_result" for block in messages[-1]["content"]):
        return False
    return answers[-1]["content"][0]["type"] not in {"thinking", "redacted_thinking"}


def _messages(messages: Iterable[Message], model: Model) -> list[dict[str, Any]]:
    """The messages with blocks of one side after another joined; the user has the first and the last word."""
    made: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        blocks = list(_blocks(message, model))
        if blocks and made and made[-1]["role"] == role:
            made[-1]["content"] += blocks
        elif blocks:
            made.append({"role": role, "content": blocks})
    if not made or made[0]["role"] != "user":
        made.insert(0, {"role": "user", "content": [{"type": "text", "text": _BEGIN}]})
    if made[-1]["role"] != "user":
        made.append({"role": "user", "content": [{"type": "text", "text": _GO_ON}]})
    return made


def _blocks(message: Message, model: Model) -> Iterator[dict[str, Any]]:
    if isinstance(message, SystemMessage):  # which a request has beside the conversation
        return
    if isinstance(message, ToolResultMessage):
        content = [made for block in message.content for made in _block(block)] or [dict(_NO_OUTPUT)]
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
        yield {**result, "content": content, "is_error": message.is_error}
        return
    own = isinstance(message, AssistantMessage) and (message.api, message.provider, message.model) == (
        _API,
        model.provider,
        model.id,
    )
    waiting: list[dict[str, Any]] = []  # a thought must not stand last: an answer may have broken off there
    for block in message.content:
        if isinstance(block, ThinkingContent):
            waiting += _thought(block) if own else ()
            continue
        for made in _block(block):
            yield from (*waiting, made)
            waiting = []


def _block(block: Any) -> Iterator[dict[str, Any]]:
    if isinstance(block, TextContent) and block.text.strip():
        yield {"type": "text", "text": block.text}
    elif isinstance(block, ImageContent):
        source = {"type": "base64", "media_type": block.mime_type, "data": block.data}
        yield {"type": "image", "source": source}
    elif isinstance(block, ToolCall):
        yield {"type": "tool_use", "id": block.id, "name": block.name, "input": dict(block.arguments)}


def _thought(block: ThinkingContent) -> Iterator[dict[str, Any]]:
    """As the provider gave it, word for word; one without a signature was cut off and is left out."""
    signature = block.signature or ""
    if signature.startswith(REDACTED):
        yield {"type": "redacted_thinking", "data": signature.removeprefix(REDACTED)}
    elif signature:
        yield {"type": "thinking", "thinking": block.text, "signature": signature}
