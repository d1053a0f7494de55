"""The records of a session's stream as lines of JSON, each with its type first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from pihost.display import repr_of
from pihost.entries import SessionHeader
from pihost.events import Event, MessageUpdateEvent
from pihost.jsonlines import decode, encode

__all__ = ["event_record", "header_record", "line_of"]

_DEEPEST = 16
"""How deep a value without a JSON form is searched for the parts that have one."""


def header_record(header: SessionHeader) -> Mapping[str, Any]:
    """A session's header as it stands in the session's file."""
    fields = attrs.asdict(header)
    return {"type": fields.pop("type"), "version": fields.pop("version"), **fields}


def event_record(event: Event) -> Mapping[str, Any]:
    """An event as the object that stands for it in the stream.

    An update carries what came just now and not the whole message again.
    """
    fields = attrs.asdict(event, recurse=False)
    if isinstance(event, MessageUpdateEvent):
        fields.pop("message")
    return {"type": event.hook_name, **fields}


def line_of(record: Mapping[str, Any]) -> bytes:
    """The record's line, newline included. What has no JSON form is put as text."""
    try:
        return encode(record) + b"\n"
    except TypeError:
        return encode(_plain(record)) + b"\n"


def _plain(value: Any, depth: int = 0) -> Any:
    """The value in its shape, with what has no JSON form in it put as text."""
    try:
        return decode(encode(value))
    except (TypeError, ValueError):  # it cannot be written, or what was written cannot be read
        if depth == _DEEPEST:
            return repr_of(value)
    if attrs.has(type(value)):
        value = attrs.asdict(value, recurse=False)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return repr_of(value)
