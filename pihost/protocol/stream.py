"""What a server sends, as a client has it: events as their classes, and what responses carry."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union, get_args, get_origin

import attrs

import pihost.events
from pihost.events import Event
from pihost.messages import Delta
from pihost.protocol.commands import CommandId
from pihost.protocol.dialogs import UI_REQUESTS, UiRequest

if TYPE_CHECKING:
    from cattrs import Converter

__all__ = [
    "EventsLost",
    "MessageUpdate",
    "SessionBegun",
    "UnknownEvent",
    "event_of",
    "structure",
    "ui_request_of",
]

_T = TypeVar("_T")
_TAGS = ("role", "type")


@attrs.frozen(kw_only=True)
class MessageUpdate(Event):
    """A model wrote more. The message so far is left to whoever puts the pieces together.

    Attributes:
        delta: What came just now.
    """

    hook_name: ClassVar[str] = "message_update"
    delta: Delta


@attrs.frozen(kw_only=True)
class SessionBegun(Event):
    """Another session stands in the place of the one before: its header.

    Attributes:
        id: The session's id.
        timestamp: When it began, ISO 8601 in UTC.
        cwd: The directory it works in, absolute.
        parent_session: File of the session it was forked from, or ``None``.
        version: Version of the file's format.
    """

    hook_name: ClassVar[str] = "session"
    id: str
    timestamp: str
    cwd: str
    parent_session: str | None = None
    version: int = 1


@attrs.frozen(kw_only=True)
class EventsLost(Event):
    """The client read so slowly that events were left out here.

    Attributes:
        count: How many.
    """

    hook_name: ClassVar[str] = "events_lost"
    count: int


@attrs.frozen(kw_only=True)
class UnknownEvent(Event):
    """An event that this client has no class for: the server is newer.

    Attributes:
        type: Its type.
        fields: All else that it carries.
    """

    hook_name: ClassVar[str] = "unknown"
    type: str
    fields: Mapping[str, Any]


def event_of(record: Mapping[str, Any]) -> Event:
    """The event that a record of the stream stands for. Fields that its class does not have are left out."""
    kind = str(record.get("type"))
    fields = {name: value for name, value in record.items() if name != "type"}
    cls = _event_classes().get(kind)
    if cls is None:
        return UnknownEvent(type=kind, fields=fields)
    return structure(fields, cls)


def ui_request_of(record: Mapping[str, Any]) -> UiRequest | None:
    """The request to the user that a record stands for; ``None`` for one that is not known."""
    cls = UI_REQUESTS.get(str(record.get("method")))
    return None if cls is None else structure(record, cls)


def structure(value: Any, cls: type[_T]) -> _T:
    """A value that a server sent, as an instance of its class.

    Raises:
        ValueError: it does not fit.
    """
    from cattrs.errors import StructureHandlerNotFoundError

    try:
        return _converter().structure(value, cls)
    except (TypeError, ValueError, KeyError, AttributeError, StructureHandlerNotFoundError) as fault:
        raise ValueError(f"no {cls.__name__}: {type(fault).__name__}: {fault}") from fault


@functools.cache
def _event_classes() -> Mapping[str, type[Event]]:
    names = [name for name in pihost.events.__all__ if name.endswith("Event") and name != "Event"]
    known = [getattr(pihost.events, name) for name in names]
    return {cls.hook_name: cls for cls in (*known, MessageUpdate, SessionBegun, EventsLost)}


@functools.cache
def _converter() -> Converter:
    from cattrs import Converter

    converter = Converter(detailed_validation=False)
    converter.register_structure_hook_func(lambda kind: kind == CommandId, lambda value, _: value)
    converter.register_structure_hook_factory(_is_tagged, functools.partial(_told_apart, converter))
    return converter


def _is_tagged(kind: Any) -> bool:
    """Whether it is a union of classes that a field tells apart."""
    if get_origin(kind) not in (Union, UnionType):
        return False
    classes = [one for one in get_args(kind) if one is not NoneType]
    return len(classes) > 1 and all(attrs.has(one) and _tag(one) is not None for one in classes)


def _tag(cls: Any) -> tuple[str, str] | None:
    """The field that tells a class from others of its union, and its value."""
    for field in attrs.fields(cls):
        if field.name in _TAGS and not field.init:
            return field.name, str(field.default)
    return None


def _told_apart(converter: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    classes = {_tag(one): one for one in get_args(kind) if one is not NoneType}
    names = {tag[0] for tag in classes if tag is not None}

    def read(value: Any, _kind: Any) -> Any:
        if value is None:
            return None
        cls = next((classes[tag] for name in names if (tag := (name, str(value.get(name)))) in classes), None)
        if cls is None:
            raise ValueError("it is none of " + ", ".join(one.__name__ for one in classes.values()))
        return converter.structure(value, cls)

    return read
