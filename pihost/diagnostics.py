"""What went wrong while starting, as values: diagnostics for people, errors of extensions for listeners."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import attrs

from pihost._values import Value

__all__ = [
    "Diagnostic",
    "DiagnosticKind",
    "DiagnosticLevel",
    "ExtensionError",
    "has_errors",
    "in_startup_order",
]

DiagnosticLevel = Literal["error", "warning"]
"""``error`` stops a start, ``warning`` does not."""

DiagnosticKind = Literal[
    "trust",
    "registration",
    "option",
    "settings",
    "discovery",
    "load",
    "conflict",
    "package",
    "resource",
    "session",
]
"""What a diagnostic is about, in the order in which a start reports them."""

_RANK = {kind: rank for rank, kind in enumerate(get_args(DiagnosticKind))}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Diagnostic(Value):
    """A fault that a user should know of.

    Attributes:
        level: Whether it stops a start.
        message: What is wrong, and where.
        kind: What it is about.
        source: The extension's id, the file or the setting it comes from, if there is one.
        hint: What to do about it, as a full sentence, or ``None``.
    """

    level: DiagnosticLevel
    message: str
    kind: DiagnosticKind
    source: str | None = None
    hint: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExtensionError(Value):
    """A failure of an extension's own code, kept as a value.

    Attributes:
        extension: Id of the extension.
        event: What it was doing: a hook's name, ``load``, ``register_provider``, a command's name.
        error: The exception's type and text, or what the host found wrong.
        stack: The traceback, cut to the extension's own frames, or ``None``.
    """

    extension: str
    event: str
    error: str
    stack: str | None = None


def in_startup_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by kind, in the order a start reports them; the same level and message appears once."""
    first: dict[tuple[str, str], Diagnostic] = {}
    for diagnostic in diagnostics:
        first.setdefault((diagnostic.level, diagnostic.message), diagnostic)
    return tuple(sorted(first.values(), key=lambda diagnostic: _RANK[diagnostic.kind]))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a start."""
    return any(d.level == "error" for d in diagnostics)
