"""Telling from a provider's error that a conversation does not fit into the model's window."""

from __future__ import annotations

import re

from pihost.models.protocol import Error

__all__ = ["is_too_long"]

_TOO_LONG_STATUS = 413
_TOO_OFTEN_STATUS = 429
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum context"
    r"|(prompt|input|request|conversation) (is )?too (long|large)"
    r"|too many (input )?tokens|exceeds? .{0,40}\b(tokens|context)\b|reduce the length",
    re.IGNORECASE,
)


def is_too_long(fault: Error) -> bool:
    """Whether a provider's error says that the request does not fit into the model's window."""
    if fault.status == _TOO_OFTEN_STATUS:  # too many tokens a minute is another matter
        return False
    return fault.status == _TOO_LONG_STATUS or bool(_TOO_LONG.search(fault.message))
