"""One part of what all code of a process shares: how it is read, and how it is put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

__all__ = ["Piece", "equal", "whole"]


@attrs.frozen(eq=False)
class Piece:
    """One part of what is shared.

    Attributes:
        take: Reads it, in a microsecond or so: it is read around every load.
        put_back: Given what was read, makes it so again and says what had changed, as a noun; nothing where
            nothing had, or nothing that could harm anybody.
        stays: Changing it is what extensions may do; it is only told.
    """

    take: Callable[[], Any]
    put_back: Callable[[Any], str]
    stays: bool = False


def whole(name: str, take: Callable[[], Any], put: Callable[[Any], object]) -> Piece:
    """A piece that is put back as a whole wherever it is no longer equal to what it was.

    Args:
        name: What it is called where it had changed.
        take: Reads it.
        put: Sets it.
    """

    def put_back(before: Any) -> str:
        if equal(take(), before):
            return ""
        put(before)
        return name

    return Piece(take, put_back)


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; those of an extension may refuse to say."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 -- the extension's own code
        return False
