"""Rows for people, in columns that fit a terminal; the last column goes on below itself."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

from pihost.display import visible

__all__ = ["table"]

_WIDEST = 24
"""How wide a column may get; a longer entry stands on a line of its own."""
_NARROWEST = 20
_LONGEST = 2000
"""How many characters of an entry are shown; an extension's error may say anything."""


def table(rows: Sequence[Sequence[str]], *, width: int | None = None) -> Iterator[str]:
    """The lines of a table.

    Args:
        rows: The texts of each row, one a column; at least two columns.
        width: How many characters a line may have; ``None`` takes the terminal's, and 80 where there is none.
    """
    lines = width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else 80)
    shown = [[_cell(text) for text in row] for row in rows]
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*shown, strict=True)][:-1]
    indent = sum(widths) + 2 * len(widths)
    for *cells, last in shown:
        head = "".join(f"{cell:{space}}  " for cell, space in zip(cells, widths, strict=True))
        wrapped = textwrap.wrap(last, max(lines - indent, _NARROWEST), break_on_hyphens=False)
        if len(head) > indent:
            yield head.rstrip()
            head = " " * indent
        for text in wrapped or [""]:
            yield f"{head}{text}".rstrip()
            head = " " * indent


def _cell(text: str) -> str:
    """An entry on one line. What is too long for a table is cut, before time is spent on wrapping it."""
    shown = visible(" ".join(text[: _LONGEST + 1].split()))
    return shown if len(text) <= _LONGEST else f"{shown}…"
