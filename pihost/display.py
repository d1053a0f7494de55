"""Text of other people made fit to be shown: nothing in it moves the cursor, hides, or starts a line."""

from __future__ import annotations

__all__ = ["escaped", "visible"]


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


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
