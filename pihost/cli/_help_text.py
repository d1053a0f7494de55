"""The form of ``pihost --help``, as click would print it; to import click takes longer than all the rest."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence

from pihost.cli._options import Option

__all__ = ["help_rows", "section", "usage"]

_WIDEST = 80
_FIRST_COLUMN = 30
"""How wide the first column may get; a longer entry stands on a line of its own."""


def usage(*forms: str) -> Iterator[str]:
    """The lines that say how the program is called.

    Args:
        forms: What may follow its name.
    """
    for prefix, form in zip(("Usage: ", *["       "] * len(forms)), forms, strict=False):
        yield f"{prefix}pihost {form}"


def section(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The lines of a list under a title, after an empty one; none where it has no rows.

    Args:
        title: Stands above it.
        rows: A word and what it means.
    """
    if not rows:
        return
    first = min(max(len(word) for word, _ in rows), _FIRST_COLUMN) + 2
    width = max(_line_width() - first - 2, 10)
    yield from ("", f"{title}:")
    for word, text in rows:
        lines = textwrap.wrap(" ".join(text.split()), width)
        if len(word) <= first - 2:
            yield f"  {word:{first}}{lines.pop(0) if lines else ''}".rstrip()
        else:
            yield f"  {word}"
        for line in lines:
            yield f"  {'':{first}}{line}"


def help_rows(options: Sequence[Option]) -> list[tuple[str, str]]:
    """Each option as it is written and what it does.

    Args:
        options: The host's own.
    """
    return [(f"{', '.join(option.names)}{_taken(option)}", _meaning(option)) for option in options]


def _taken(option: Option) -> str:
    if option.takes_id:
        return " [ID]"
    if option.choices:
        return f" [{'|'.join(option.choices)}]"
    return f" {option.metavar}" if option.metavar else ""


def _meaning(option: Option) -> str:
    shown = isinstance(option.default, str)
    return f"{option.help}  [default: {option.default}]" if shown else option.help


def _line_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        terminal = int(columns)
    else:
        try:
            terminal = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (OSError, ValueError):  # it is no terminal, or is closed
            terminal = _WIDEST
    return max(min(terminal, _WIDEST) - 2, 50)
