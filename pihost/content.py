"""Blocks that messages are made of, what a tool returns, and what a request cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import attrs

from pihost._values import Value
from pihost.nesting import is_too_deep

__all__ = [
    "ContentBlock",
    "ImageContent",
    "TextContent",
    "ThinkingContent",
    "ToolCall",
    "ToolContentBlock",
    "ToolResult",
    "Usage",
    "UserContent",
    "as_blocks",
    "text_of",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TextContent(Value):
    """A piece of text.

    Attributes:
        text: The text, any Unicode.
    """

    text: str
    type: Literal["text"] = attrs.field(default="text", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ImageContent(Value):
    """A picture.

    Attributes:
        data: The file's bytes in base64.
        mime_type: Such as ``"image/png"``.
    """

    data: str
    mime_type: str
    type: Literal["image"] = attrs.field(default="image", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ThinkingContent(Value):
    """What a model thought before it answered.

    Attributes:
        text: The thought, as far as the provider shows it.
        signature: The provider's proof that it is unchanged, handed back as it came.
    """

    text: str
    signature: str | None = None
    type: Literal["thinking"] = attrs.field(default="thinking", init=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolCall(Value):
    """A model's wish to have a tool run.

    Attributes:
        id: Ties the result to the call.
        name: The tool's name.
        arguments: The arguments as sent, before any check.
        invalid_json: What was sent instead of a JSON object, or one with more than 100 levels;
            ``arguments`` is then empty, and the call is answered with an error.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    invalid_json: str | None = None
    type: Literal["tool_call"] = attrs.field(default="tool_call", init=False)

    def __attrs_post_init__(self) -> None:
        # Arguments come from models, files and extensions, and are copied, compared and encoded everywhere.
        if is_too_deep(self.arguments):
            object.__setattr__(self, "invalid_json", _as_text(self.arguments))
            object.__setattr__(self, "arguments", {})


def _as_text(arguments: Mapping[str, Any]) -> str:
    from pihost.jsonlines import encode

    try:
        return encode(arguments).decode()
    except TypeError:
        return "what is nested without end"


ToolContentBlock = TextContent | ImageContent
"""What a tool's result and a user's message may hold."""

ContentBlock = TextContent | ImageContent | ThinkingContent | ToolCall
"""Everything a message may hold."""

UserContent = str | Sequence[ToolContentBlock]
"""What may be said in the user's name."""


def as_blocks(blocks: Iterable[ToolContentBlock]) -> list[ToolContentBlock]:
    """A list of its own with these blocks."""
    return list(blocks)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolResult(Value):
    """What a tool call came to.

    Attributes:
        content: What the model reads.
        details: What a person's screen or another program may want besides; never sent to the model.
        structured_content: The result as data, for callers that can take it.
        is_error: The call failed; ``content`` says why.
        terminate: End the run after this call instead of asking the model again.
    """

    content: list[ToolContentBlock] = attrs.field(factory=list, converter=as_blocks)
    details: Any = None
    structured_content: Any = None
    is_error: bool = False
    terminate: bool = False

    @classmethod
    def from_text(cls, text: str, *, is_error: bool = False, details: Any = None) -> ToolResult:
        """A result of one piece of text.

        Args:
            text: What the model reads.
            is_error: Whether the call failed.
            details: See the class.
        """
        return cls(content=[TextContent(text=text)], is_error=is_error, details=details)

    @property
    def text(self) -> str:
        """All text of the result, blocks joined by newlines."""
        return text_of(self.content)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Usage(Value):
    """Tokens of one request and what they cost.

    Attributes:
        input: Tokens sent that no cache served.
        output: Tokens received.
        cache_read: Tokens sent that a cache served.
        cache_write: Tokens written to a cache.
        cost: In US dollars, 0 where the price is not known.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return self.input + self.output + self.cache_read + self.cache_write


def text_of(content: Iterable[ContentBlock]) -> str:
    """The text blocks of ``content``, joined by newlines."""
    return "\n".join(block.text for block in content if isinstance(block, TextContent))
