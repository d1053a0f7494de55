"""Messages of the protocol as lines of JSON, and back."""

from __future__ import annotations

import json
import re
from typing import Any

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from mcp_types import jsonrpc_message_adapter

__all__ = ["line_of", "message_of", "without_surrogates"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def message_of(line: bytes) -> JSONRPCMessage:
    """The message that a line says. What of its texts is no Unicode becomes U+FFFD.

    Raises:
        ValueError: it says none.
    """
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        value = _loaded(line)
    return jsonrpc_message_adapter.validate_python(value, by_name=False)


def _loaded(line: bytes) -> Any:
    try:
        return without_surrogates(json.loads(line.decode(errors="replace")))
    except RecursionError:
        raise ValueError("nested too deep") from None


def line_of(message: SessionMessage) -> bytes:
    """A message as a line, with its end."""
    return message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def without_surrogates(value: Any) -> Any:
    """A JSON value whose texts can all be sent: half a surrogate pair, which none can, becomes U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value
