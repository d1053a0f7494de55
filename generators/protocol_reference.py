"""The reference of the json and rpc modes as Markdown, made of the classes of their records."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

import pihost.events
from pihost import content, context, diagnostics, entries, messages, model
from pihost.protocol import replies, stream
from pihost.protocol.commands import COMMANDS
from pihost.protocol.dialogs import UI_REQUESTS, UiResponse
from pihost.session.stream import STREAM_EVENTS

__all__ = ["MARK", "json_and_rpc_page"]

MARK = "<!-- From here on made by `python3 dev.py docs` of the classes of the records. -->\n"
_PAGE = Path(__file__).parent.parent / "docs" / "json-and-rpc.md"
_WIDTH = 116
_PLAIN: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Path: "string",
    Any: "anything",
}
_UNIONS = (
    (messages.Message, "Message"),
    (messages.Delta, "Delta"),
    (content.ToolContentBlock, "TextContent or ImageContent"),
    (messages.AnswerBlock, "TextContent, ThinkingContent or ToolCall"),
)
_UNIONS_TEXT = """
A Message is a UserMessage, AssistantMessage, ToolResultMessage, CustomMessage or SystemMessage, told apart by
`role`. A Delta is a TextDelta, ThinkingDelta or ToolCallDelta, told apart by `type`, as blocks are.
"""
_VALUES = (
    replies.State,
    replies.Messages,
    messages.UserMessage,
    messages.AssistantMessage,
    messages.ToolResultMessage,
    messages.CustomMessage,
    messages.SystemMessage,
    content.TextContent,
    content.ImageContent,
    content.ThinkingContent,
    content.ToolCall,
    content.Usage,
    messages.TextDelta,
    messages.ThinkingDelta,
    messages.ToolCallDelta,
    content.ToolResult,
    replies.Models,
    model.Model,
    context.SessionChange,
    entries.CompactionEntry,
    replies.Commands,
    replies.CommandRecord,
    replies.Extensions,
    replies.ExtensionRecord,
    replies.HandlerTimeRecord,
    diagnostics.Diagnostic,
)
_RUN = (
    *("agent_start", "turn_start", "message_start", "message_update", "message_end"),
    *("tool_execution_start", "tool_execution_update", "tool_execution_end"),
    *("turn_end", "agent_end", "agent_settled"),
)


def json_and_rpc_page() -> str:
    """The page as it is up to the mark, and after it everything about each record."""
    prose = _PAGE.read_text("utf-8").partition(MARK)[0]
    return "\n".join([prose + MARK, *_commands(), *_dialogs(), *_events(), *_values()])


def _commands() -> Iterator[str]:
    yield "## Commands\n"
    for name, cls in COMMANDS.items():
        data = replies.DATA[name]
        yield _chapter(f"`{name}`", cls, is_optional=lambda field: field.default is not attrs.NOTHING)
        yield f"**Data:** {'null' if data is None else data.__name__}\n"


def _dialogs() -> Iterator[str]:
    yield "## Requests to the user\n"
    for method, cls in UI_REQUESTS.items():
        yield _chapter(f"`extension_ui_request`: `{method}`", cls)
    yield _chapter(f"`{UiResponse.type}`", UiResponse)


def _events() -> Iterator[str]:
    yield "## Events\n"
    names = [name for name in pihost.events.__all__ if name.endswith("Event") and name != "Event"]
    known = {cls.hook_name: cls for cls in (getattr(pihost.events, name) for name in names)}
    known["message_update"] = stream.MessageUpdate
    for name in (*_RUN, *sorted(STREAM_EVENTS - set(_RUN))):
        yield _chapter(f"`{name}`", known[name])
    for cls in (stream.SessionBegun, stream.EventsLost):
        yield _chapter(f"`{cls.hook_name}`", cls)


def _values() -> Iterator[str]:
    yield "## Values\n"
    yield _paragraph(_UNIONS_TEXT) + "\n"
    for cls in _VALUES:
        yield _chapter(cls.__name__, cls)


def _chapter(
    title: str, cls: type[Any], *, is_optional: Callable[[attrs.Attribute[Any]], bool] = lambda _: False
) -> str:
    summary, _, _rest = inspect.cleandoc(cls.__doc__ or "").partition("\n\nAttributes:")
    parts = [f"### {title}\n", *(_paragraph(text) + "\n" for text in _without_marks(summary).split("\n\n"))]
    hints, texts = get_type_hints(cls), _field_texts(cls)
    lines = []
    for field in attrs.fields(cls):
        optional = ", optional" if is_optional(field) else ""
        text = texts[field.name] if field.init else "Tells it from others."
        lines.append(
            _paragraph(f"- `{field.name}` ({_type_name(hints[field.name])}{optional}): {text}", "  ")
        )
    return "\n".join([*parts, *lines, *([""] if lines else [])])


def _field_texts(cls: type[Any]) -> Mapping[str, str]:
    """What the docstrings of a class and of those it extends say of each field."""
    texts = {}
    for base in reversed(cls.__mro__):
        _, _, body = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")
        for name, text in re.findall(r"^    (\w+): (.*?)(?=^    \w+: |\Z)", body, re.DOTALL | re.MULTILINE):
            texts[name] = _without_marks(" ".join(text.split()))
    return texts


def _type_name(kind: Any) -> str:
    """A type in the words of JSON."""
    named = next((name for union, name in _UNIONS if kind == union), None) or _PLAIN.get(kind)
    if named is not None:
        return named
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(f'`"{value}"`' for value in arguments)
    if origin in (Union, UnionType):
        return " or ".join(map(_type_name, arguments))
    if origin in (tuple, list):
        return f"list of {_type_name(arguments[0])}"
    return "object" if origin is not None else kind.__name__


def _paragraph(text: str, indent: str = "") -> str:
    wrapper = textwrap.TextWrapper(
        _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.fill(" ".join(text.split()))


def _without_marks(text: str) -> str:
    """Literals of reStructuredText as those of Markdown, and Python's ``None`` as JSON's."""
    return text.replace("``None``", "null").replace("``", "`")
