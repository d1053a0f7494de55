"""What goes to stderr: diagnostics, faults, usage errors, in colour on a terminal; and JSON for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from pihost.diagnostics import Diagnostic
from pihost.display import visible

__all__ = ["Reports", "print_json", "report_all", "say"]

_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m", "info": "\x1b[36m", "hint": "\x1b[2m"}


def _label(kind: str) -> str:
    text = f"{kind.capitalize()}:"
    if os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        return text
    return f"{_COLOURS[kind]}{text}\x1b[0m"


def say(kind: str, message: str) -> None:
    """Print one message of a kind: ``error``, ``warning``, ``info`` or ``hint``."""
    text = visible(message).replace("\n", "\n  ")  # so that no line of it reads like a message of its own
    print(f"{_label(kind)} {text}", file=sys.stderr)  # noqa: T201 -- this is the report


def report_all(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics in their order; a hint that several share comes once, after the last of them."""
    waiting: dict[str, None] = {}
    for diagnostic in diagnostics:
        say(diagnostic.level, diagnostic.message)
        if diagnostic.hint:
            waiting.pop(diagnostic.hint, None)
            waiting[diagnostic.hint] = None
    for hint in waiting:
        say("hint", hint)


def print_json(value: Any, to: TextIO | None = None) -> None:
    """Print a value as one line of JSON, the answer of a command that was asked for it.

    Args:
        value: The value.
        to: Where the answer goes; ``None`` is standard output.
    """
    from pihost.jsonlines import encode

    stream = (sys.stdout if to is None else to).buffer
    stream.write(encode(value) + b"\n")
    stream.flush()


class Reports:
    """Prints diagnostics once each, however often they are found."""

    def __init__(self) -> None:
        self._told: list[Diagnostic] = []
        self._source: Callable[[], Iterable[Diagnostic]] = tuple

    def tell(self, found: Iterable[Diagnostic]) -> None:
        """Print those that were not printed before."""
        new = [one for one in found if one not in self._told]
        self._told += new
        report_all(new)

    def follow(self, source: Callable[[], Iterable[Diagnostic]]) -> None:
        """Let ``look`` find what ``source`` gives; before that it finds nothing."""
        self._source = source

    def look(self) -> None:
        """Print what has been found since."""
        self.tell(self._source())
