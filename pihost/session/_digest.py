"""A conversation as text: whole for a model that is to summarise it, in brief where no model can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pihost.jsonlines import encode
from pihost.messages import AssistantMessage, CustomMessage, Message, SystemMessage, ToolResultMessage
from pihost.session._conversation import COMPACTION_KIND

__all__ = ["as_text", "digest"]

_RESULT_CHARACTERS = 2000
"""Characters of a tool's result that whoever summarises is shown."""
_LINE_CHARACTERS = 200
_EARLIER_CHARACTERS = 3000
_MOST_LINES = 60
"""Lines of a digest; the first third and the last two thirds are kept of a longer one."""
_OPENING = "(Put together without a language model.)"


def as_text(messages: Sequence[Message], limit: int) -> str:
    """What was said, each message under its speaker's name.

    Args:
        messages: The messages, oldest first.
        limit: Characters it may have; of a longer one the middle is left out.
    """
    text = "\n\n".join(part for message in messages for part in _parts(message))
    if len(text) <= limit:
        return text
    head = limit // 4
    return f"{text[:head]}\n\n[… {len(text) - limit} characters left out …]\n\n{text[head - limit :]}"


def digest(messages: Sequence[Message]) -> str:
    """What happened, a line for each message: always the same for the same messages.

    Args:
        messages: The messages, oldest first; a digest among them is taken over.
    """
    lines = [line for message in messages for line in _lines(message)]
    if len(lines) > _MOST_LINES:
        head, tail = _MOST_LINES // 3, _MOST_LINES - _MOST_LINES // 3
        lines = [*lines[:head], f"- … {len(lines) - _MOST_LINES} lines left out …", *lines[-tail:]]
    return "\n".join([_OPENING, *lines])


def _parts(message: Message) -> Iterator[str]:
    if isinstance(message, AssistantMessage):
        if message.text:
            yield f"[agent]\n{message.text}"
        for call in message.tool_calls:
            yield f"[agent calls {call.name}]\n{encode(call.arguments).decode()}"
    elif isinstance(message, ToolResultMessage):
        failed = " (failed)" if message.is_error else ""
        yield f"[result of {message.tool_name}{failed}]\n{_cut(message.text, _RESULT_CHARACTERS)}"
    elif isinstance(message, CustomMessage) and message.kind == COMPACTION_KIND:
        yield f"[earlier summary]\n{message.text}"
    elif not isinstance(message, SystemMessage):
        yield f"[user]\n{message.text}"


def _lines(message: Message) -> Iterator[str]:
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls:
            yield f"- called {call.name} {_line(encode(call.arguments).decode())}"
        if message.text:
            yield f"- answered: {_line(message.text)}"
    elif isinstance(message, ToolResultMessage):
        if message.is_error:
            yield f"- {message.tool_name} failed: {_line(message.text)}"
    elif isinstance(message, CustomMessage) and message.kind == COMPACTION_KIND:
        yield _cut(message.text, _EARLIER_CHARACTERS)
    elif not isinstance(message, SystemMessage):
        yield f"- the user said: {_line(message.text)}"


def _line(text: str) -> str:
    return _cut(" ".join(text.split()), _LINE_CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
