"""Records of a session file as lines of JSON, and back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import msgspec

from pihost.content import (
    ContentBlock,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolContentBlock,
)
from pihost.display import repr_of
from pihost.entries import (
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionHeader,
    SessionInfoEntry,
    StoredMessage,
    ThinkingLevelChangeEntry,
)
from pihost.jsonlines import encode
from pihost.messages import AnswerBlock, AssistantMessage, CustomMessage, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from cattrs import Converter

__all__ = [
    "FORMAT_VERSION",
    "NotARecordError",
    "as_entry",
    "as_header",
    "encode_entry",
    "encode_header",
    "storable",
]

_T = TypeVar("_T")
FORMAT_VERSION = 1
"""The version of the file's format that is written, and the last that is read."""

_ENTRIES: Mapping[str, type[Entry]] = {
    "message": MessageEntry,
    "custom_message": CustomMessageEntry,
    "model_change": ModelChangeEntry,
    "thinking_level_change": ThinkingLevelChangeEntry,
    "compaction": CompactionEntry,
    "custom": CustomEntry,
    "label": LabelEntry,
    "session_info": SessionInfoEntry,
}
_MESSAGES = {"user": UserMessage, "assistant": AssistantMessage, "tool_result": ToolResultMessage}
_BLOCKS = {"text": TextContent, "image": ImageContent, "thinking": ThinkingContent, "tool_call": ToolCall}


class NotARecordError(ValueError):
    """A value is no record of a session file; the text says why."""


def encode_header(header: SessionHeader) -> bytes:
    """The first line of a file, its end included; what tells the format comes first."""
    fields = attrs.asdict(header)
    first = {name: fields.pop(name) for name in ("type", "version")}
    return encode({**first, **fields}) + b"\n"


def encode_entry(entry: Entry) -> bytes:
    """An entry's line, its end included.

    Raises:
        TypeError: something in it has no JSON form.
    """
    return encode(entry) + b"\n"


def storable(message: StoredMessage | CustomMessage) -> StoredMessage | CustomMessage:
    """The message with whatever has no JSON form in its details put as text, so that it can be kept."""
    names = [name for name in ("details", "structured_content") if hasattr(message, name)]
    changes: dict[str, Any] = {name: _plain(getattr(message, name)) for name in names}
    return attrs.evolve(message, **changes)


def _plain(value: object) -> object:
    try:
        return msgspec.to_builtins(value, enc_hook=repr_of, str_keys=True)
    except (TypeError, RecursionError):
        return repr_of(value)


def as_header(value: object) -> SessionHeader:
    """The header that a decoded line is.

    Raises:
        NotARecordError: it is none, or of a newer format.
    """
    if not isinstance(value, dict) or value.get("type") != "session":
        raise NotARecordError("it does not begin with a session's header")
    version = value.get("version")
    if version != FORMAT_VERSION:
        raise NotARecordError(f"its format has version {version!r}, and this program knows {FORMAT_VERSION}")
    return _structure({"parent_session": None, **value}, SessionHeader)


def as_entry(value: object) -> Entry:
    """The entry that a decoded line is.

    Raises:
        NotARecordError: it is none.
    """
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        raise NotARecordError("it is no record")
    if kind not in _ENTRIES:
        raise NotARecordError(f"records of type {kind!r} are not known")
    return _structure(value, _ENTRIES[kind])


def _structure(value: object, kind: type[_T]) -> _T:
    try:
        return _converter().structure(value, kind)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as fault:
        raise NotARecordError(f"a field is missing or wrong ({type(fault).__name__}: {fault})") from fault


def _exactly(kind: type) -> Callable[[Any, Any], Any]:
    def check(value: Any, _: Any) -> Any:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise TypeError(f"{value!r:.40} is no {kind.__name__}")
        return value

    return check


def _told_apart(converter: Converter, key: str, kinds: Mapping[str, type]) -> Callable[[Any, Any], Any]:
    return lambda value, _: converter.structure(value, kinds[value[key]])


@functools.cache
def _converter() -> Converter:
    from cattrs import Converter

    converter = Converter(detailed_validation=False)
    for kind in (str, int, float, bool):
        converter.register_structure_hook(kind, _exactly(kind))
    converter.register_structure_hook(StoredMessage, _told_apart(converter, "role", _MESSAGES))
    for union, names in (
        (ToolContentBlock, ("text", "image")),
        (AnswerBlock, ("text", "thinking", "tool_call")),
        (ContentBlock, tuple(_BLOCKS)),
    ):
        kinds = {name: _BLOCKS[name] for name in names}
        converter.register_structure_hook(union, _told_apart(converter, "type", kinds))
    return converter
