"""Messages of a conversation, and the pieces in which a model's answer arrives."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import attrs

from pihost._values import Value
from pihost.content import (
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolContentBlock,
    Usage,
    text_of,
)

__all__ = [
    "AnswerBlock",
    "AssistantMessage",
    "CustomMessage",
    "Delta",
    "Message",
    "StopReason",
    "SystemMessage",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolResultMessage",
    "UserMessage",
    "now_ms",
]

StopReason = Literal["stop", "tool_use", "length", "error", "aborted"]
"""Why an answer ended: done, wants tools, cut by the output limit, failed, or stopped by the user."""


def now_ms() -> int:
    """Milliseconds since the epoch, the unit of every timestamp in a message."""
    return time.time_ns() // 1_000_000


AnswerBlock = TextContent | ThinkingContent | ToolCall
"""What an answer may hold."""


def _blocks(value: Iterable[ToolContentBlock]) -> tuple[ToolContentBlock, ...]:
    return tuple(value)


def _blocks_or_text(value: str | Iterable[ToolContentBlock]) -> tuple[ToolContentBlock, ...]:
    return (TextContent(text=value),) if isinstance(value, str) else tuple(value)


def _answer_blocks(value: Iterable[AnswerBlock]) -> tuple[AnswerBlock, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SystemMessage(Value):
    """The instructions that stand before the conversation.

    Attributes:
        text: The instructions.
    """

    text: str
    role: Literal["system"] = attrs.field(default="system", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UserMessage(Value):
    """What the user said.

    Attributes:
        content: Text and pictures.
        timestamp: Milliseconds since the epoch.
    """

    content: tuple[ToolContentBlock, ...] = attrs.field(converter=_blocks)
    timestamp: int = attrs.field(factory=now_ms)
    role: Literal["user"] = attrs.field(default="user", init=False)

    @classmethod
    def from_text(cls, text: str, images: Sequence[ImageContent] = ()) -> UserMessage:
        """A message of one text and any pictures."""
        return cls(content=(TextContent(text=text), *images))

    @property
    def text(self) -> str:
        """All text of the message."""
        return text_of(self.content)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AssistantMessage(Value):
    """What a model answered.

    Attributes:
        content: Text, thoughts and tool calls, in the order they came.
        provider: Id of the provider that answered.
        api: The wire API it was asked through.
        model: Id of the model that answered.
        stop_reason: Why it ended.
        usage: What it cost.
        error_message: Why it failed, when ``stop_reason`` is ``"error"``.
        timestamp: Milliseconds since the epoch.
    """

    content: tuple[AnswerBlock, ...] = attrs.field(default=(), converter=_answer_blocks)
    provider: str = ""
    api: str = ""
    model: str = ""
    stop_reason: StopReason = "stop"
    usage: Usage = attrs.field(factory=Usage)
    error_message: str | None = None
    timestamp: int = attrs.field(factory=now_ms)
    role: Literal["assistant"] = attrs.field(default="assistant", init=False)

    @property
    def text(self) -> str:
        """All text of the message, without thoughts."""
        return text_of(self.content)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls it asks for, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolResultMessage(Value):
    """The result of one tool call, as the conversation keeps it.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        content: What the model reads.
        details: What a person's screen or another program may want besides; never sent to the model.
        structured_content: The result as data, for callers that can take it.
        is_error: The call failed; ``content`` says why.
        timestamp: Milliseconds since the epoch.
    """

    tool_call_id: str
    tool_name: str
    content: tuple[ToolContentBlock, ...] = attrs.field(default=(), converter=_blocks)
    details: Any = None
    structured_content: Any = None
    is_error: bool = False
    timestamp: int = attrs.field(factory=now_ms)
    role: Literal["tool_result"] = attrs.field(default="tool_result", init=False)

    @property
    def text(self) -> str:
        """All text of the result."""
        return text_of(self.content)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CustomMessage(Value):
    """A message that an extension puts into the conversation; the model reads it as the user's.

    Attributes:
        kind: The extension's own name for this kind of message.
        content: Text and pictures; a plain string stands for one text.
        display: Whether a person is shown it.
        details: What the extension wants to keep with it; never sent to the model.
        timestamp: Milliseconds since the epoch.
    """

    kind: str
    content: tuple[ToolContentBlock, ...] = attrs.field(converter=_blocks_or_text)
    display: bool = True
    details: Any = None
    timestamp: int = attrs.field(factory=now_ms)
    role: Literal["custom"] = attrs.field(default="custom", init=False)

    @property
    def text(self) -> str:
        """All text of the message."""
        return text_of(self.content)


Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage | CustomMessage
"""Every kind of message, told apart by ``role``."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TextDelta(Value):
    """More text of an answer.

    Attributes:
        index: Place of the block in the answer.
        text: What came just now.
    """

    index: int
    text: str
    type: Literal["text_delta"] = attrs.field(default="text_delta", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ThinkingDelta(Value):
    """More of a thought.

    Attributes:
        index: Place of the block in the answer.
        text: What came just now.
        signature: The provider's proof that it is unchanged, with the last piece.
    """

    index: int
    text: str
    signature: str | None = None
    type: Literal["thinking_delta"] = attrs.field(default="thinking_delta", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolCallDelta(Value):
    """More of the tool call at ``index``.

    Attributes:
        index: Place of the block in the answer.
        id: The call's id, with the first piece.
        name: The tool's name, with the first piece.
        arguments_json: The next characters of the arguments' JSON text.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments_json: str = ""
    type: Literal["tool_call_delta"] = attrs.field(default="tool_call_delta", init=False)


Delta = TextDelta | ThinkingDelta | ToolCallDelta
"""A piece of an answer under way."""
