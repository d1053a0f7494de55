"""What a client sent, as a command or an answer to a dialog; every fault at once, each with its place."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import msgspec

from pihost.content import ImageContent
from pihost.errors import PihostError
from pihost.near import near_aside
from pihost.protocol.commands import COMMANDS, Command, CommandId
from pihost.protocol.dialogs import UiResponse
from pihost.structure import WrongTypeError, faults_of, strict_converter

if TYPE_CHECKING:
    from cattrs import Converter

__all__ = ["BadLineError", "Received", "read_line"]

_CLASSES: Mapping[str, type[Command | UiResponse]] = {**COMMANDS, UiResponse.type: UiResponse}
_Images = tuple[ImageContent, ...]


class BadLineError(PihostError):
    """A line is nothing that a client may send.

    Attributes:
        reason: Why not.
        id: What the client calls it by, as far as that could be read.
        type: Its type, as far as that could be read.
    """

    def __init__(self, reason: str, id: CommandId = None, type: str | None = None) -> None:  # noqa: A002 -- the record's own names
        super().__init__(reason, id, type)
        self.reason = reason
        self.id = id
        self.type = type

    def __str__(self) -> str:
        return self.reason


@attrs.frozen
class Received:
    """What a line says.

    Attributes:
        id: What the client calls it by.
        message: The command, or the answer to a dialog.
    """

    id: CommandId
    message: Command | UiResponse


def read_line(line: bytes) -> Received:
    """What a line says.

    Args:
        line: Without its newline.

    Raises:
        BadLineError: it is nothing that a client may send.
    """
    record = _decoded(line)
    kind, command_id = record.get("type"), record.pop("id", None)
    told = kind if isinstance(kind, str) else None
    if command_id is not None and type(command_id) not in (str, int):
        raise BadLineError("'id' must be a string or a whole number", type=told)
    if told is None:
        raise BadLineError("a command is an object with a 'type', which is a string", command_id)
    cls = _CLASSES.get(told)
    if cls is None:
        near = near_aside(told, _CLASSES) or f"; there are {', '.join(_CLASSES)}"
        raise BadLineError(f"there is no command {told[:80]!r}{near}", command_id, told[:80])
    del record["type"]
    if cls is UiResponse:
        record["id"] = command_id
    return Received(command_id, _structured(record, cls, command_id))


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        record = msgspec.json.decode(line)
    except RecursionError:
        raise BadLineError("not a line of JSON: nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise BadLineError(f"not a line of JSON in UTF-8: {_reason(line, fault)}") from fault
    if not isinstance(record, dict):
        raise BadLineError('a command is an object with a \'type\', such as {"type": "get_state"}')
    return record


def _reason(line: bytes, fault: Exception) -> str:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return str(fault)
    return "it holds a lone surrogate"


def _structured(
    record: Mapping[str, Any], cls: type[Command | UiResponse], command_id: CommandId
) -> Command | UiResponse:
    import cattrs

    try:
        return _converter().structure(record, cls)
    except cattrs.BaseValidationError as fault:
        raise BadLineError("; ".join(faults_of(fault, cls.type)), command_id, cls.type) from fault


@functools.cache
def _converter() -> Converter:
    converter = strict_converter()
    converter.register_structure_hook_func(lambda kind: kind == _Images, _images)
    converter.register_structure_hook_func(lambda kind: kind == Mapping[str, Any], _object)
    converter.register_structure_hook_func(lambda kind: kind == str | bool | None, _answer)
    converter.register_structure_hook(ImageContent, _image)
    return converter


def _images(value: Any, _kind: Any) -> _Images:
    if not isinstance(value, list):
        raise WrongTypeError("expected a list of images")
    return tuple(_converter().structure(value, list[ImageContent]))


def _image(value: Any, _kind: Any) -> ImageContent:
    if not isinstance(value, dict) or value.get("type") != "image":
        raise WrongTypeError('expected an object with the type "image"')
    fields = {name: item for name, item in value.items() if name != "type"}
    return _converter_of_fields().structure(fields, ImageContent)


@functools.cache
def _converter_of_fields() -> Converter:
    return strict_converter()


def _object(value: Any, _kind: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise WrongTypeError("expected an object")
    return value


def _answer(value: Any, _kind: Any) -> str | bool | None:
    if value is not None and type(value) not in (str, bool):
        raise WrongTypeError("expected a string, true, false or null")
    answer: str | bool | None = value
    return answer
