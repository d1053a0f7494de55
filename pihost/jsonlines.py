"""Any value as one line of JSON, and back: the form of session files, of event streams and of ``--json``."""

from __future__ import annotations

import enum
import json
from pathlib import PurePath
from typing import Any

import msgspec

__all__ = ["decode", "encode", "to_builtins"]

_TOO_DEEP = "nested too deeply"


def _plain(value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


def to_builtins(value: Any) -> Any:
    """``value`` as dicts, lists, strings, numbers, booleans and ``None``; value classes become dicts.

    Raises:
        TypeError: something in it has no JSON form, or it is nested without end.
    """
    try:
        return msgspec.to_builtins(value, enc_hook=_plain)
    except RecursionError:
        raise TypeError(_TOO_DEEP) from None


_encoder = msgspec.json.Encoder(enc_hook=_plain)


def encode(value: Any) -> bytes:
    """``value`` as one line of JSON in UTF-8, without the line's end.

    A lone surrogate, which UTF-8 cannot carry, is written as an escape.

    Raises:
        TypeError: something in it has no JSON form, or it is nested without end.
    """
    try:
        return _encoded(value)
    except RecursionError:
        raise TypeError(_TOO_DEEP) from None


def _encoded(value: Any) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return json.dumps(to_builtins(value), separators=(",", ":")).encode("ascii")


def decode(line: bytes | str) -> Any:
    """What a line of JSON says.

    Raises:
        ValueError: it is not JSON in UTF-8.
    """
    try:
        return _decoded(line)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def _decoded(line: bytes | str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # msgspec refuses an escaped lone surrogate, which the json module reads.
        return json.loads(line)
