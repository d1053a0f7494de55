"""What every wire API asks for: whole text, plain ids of calls, and errors told by their status."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from pihost.content import ToolCall
from pihost.jsonlines import encode, to_builtins
from pihost.messages import AnswerBlock, AssistantMessage, Message, ToolResultMessage
from pihost.models.protocol import Error

__all__ = ["http_error", "payload_bytes", "plain_call_ids", "whole_text"]

_PASSING = frozenset({408, 409, 425, 429})
_REDIRECTS = range(300, 400)
_NOT_IMPLEMENTED = 501
_SERVER_ERROR = 500
_LONGEST_CALL_ID = 40
_PLAIN_CALL_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{_LONGEST_CALL_ID}}}\Z")


def whole_text(text: str) -> str:
    """``text`` with U+FFFD in place of every lone surrogate, which no provider takes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def payload_bytes(payload: Mapping[str, Any]) -> bytes:
    """The body of a request: ``payload`` as JSON in UTF-8, U+FFFD in place of every lone surrogate.

    Raises:
        TypeError: something in it has no JSON form.
    """
    body = encode(dict(payload))
    if rb"\ud" not in body:
        return body
    return whole_text(json.dumps(to_builtins(dict(payload)), ensure_ascii=False)).encode()


def http_error(status: int, headers: Mapping[str, str], message: str) -> Error:
    """The error that an HTTP answer stands for.

    Args:
        status: The answer's status. Time-outs, conflicts, rate limits and faults of the server can pass.
        headers: Its headers; ``retry-after-ms``, ``retry-after`` (seconds or a date) and ``x-should-retry``
            are obeyed.
        message: Why, for people. Where the answer is a redirect, the error says where to instead: a provider
            follows none, since it would take the key and the conversation to another server.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    if status in _REDIRECTS and lowered.get("location"):
        elsewhere = lowered["location"]
        message = (
            f"{status}: the server sends requests on to {elsewhere}; if that is right, it is the base_url"
        )
    passing = status in _PASSING or (status >= _SERVER_ERROR and status != _NOT_IMPLEMENTED)
    said = lowered.get("x-should-retry")
    if said in {"true", "false"}:
        passing = said == "true"
    return Error(message=message, status=status, retryable=passing, retry_after=_retry_after(lowered))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    wanted = headers.get("retry-after")
    seconds = _number(wanted)
    if seconds is not None or wanted is None:
        return seconds
    import email.utils

    try:
        moment = email.utils.parsedate_to_datetime(wanted)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def plain_call_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The conversation with an id of its own for every tool call: 1 to 40 of ``A-Za-z0-9_-``.

    Ids that are so already stay. Another provider, or an extension, may have given others.

    Args:
        messages: The conversation; the results of an answer's calls stand between it and the next answer.
    """
    ids = _CallIds()
    return tuple(ids.renamed(message) for message in messages)


class _CallIds:
    """Renames as the conversation goes on."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._waiting: dict[str, deque[str]] = {}

    def renamed(self, message: Message) -> Message:
        if isinstance(message, AssistantMessage):
            self._waiting = {}
            return attrs.evolve(message, content=[self._block(block) for block in message.content])
        if isinstance(message, ToolResultMessage):
            waiting = self._waiting.get(message.tool_call_id)
            return attrs.evolve(message, tool_call_id=waiting.popleft()) if waiting else message
        return message

    def _block(self, block: AnswerBlock) -> AnswerBlock:
        if not isinstance(block, ToolCall):
            return block
        new = self._new(block.id)
        self._waiting.setdefault(block.id, deque()).append(new)
        return attrs.evolve(block, id=new)

    def _new(self, old: str) -> str:
        plain = old if _PLAIN_CALL_ID.match(old) else re.sub(r"[^A-Za-z0-9_-]", "_", old)[:_LONGEST_CALL_ID]
        new, number = plain or "call", 2
        while new in self._taken:
            ending = f"_{number}"
            new = (plain or "call")[: _LONGEST_CALL_ID - len(ending)] + ending
            number += 1
        self._taken.add(new)
        return new
