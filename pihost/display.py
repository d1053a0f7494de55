"""Text of other people made fit to be shown: nothing in it moves the cursor, hides, or starts a line."""

from __future__ import annotations

from typing import TextIO

__all__ = ["escaped", "fit_for", "repr_of", "visible"]


def escaped(text: str, *, keep: str = "") -> str:
    r"""``text`` with every character that is not printable as an escape, direction marks included.

    Args:
        text: Whatever a file, a model or an extension brought.
        keep: Characters that stay though they are not printable, such as ``\n``.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else _escape(one) for one in text)


def visible(text: str) -> str:
    """``text`` with its lines and tabs, and whatever else a terminal would obey shown as an escape."""
    return escaped(text, keep="\n\t")


def fit_for(stream: TextIO, text: str) -> str:
    r"""``text`` as it may be written to ``stream``: made visible on a terminal, as it is anywhere else.

    Args:
        stream: Where it goes.
        text: Whatever a file, a model or an extension brought; ``\r\n`` ends a line on a terminal too.
    """
    return visible(text.replace("\r\n", "\n")) if stream.isatty() else text


def repr_of(value: object) -> str:
    """The ``repr`` of other people's value; of one that has none, or is nested without end, its type."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 -- the value's own code, or a stack that is too small for it
        return f"<{type(value).__name__} that cannot be shown>"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
