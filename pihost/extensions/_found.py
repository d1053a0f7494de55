"""What one place yields while it is searched: candidates, and faults that know whose they are."""

from __future__ import annotations

from pathlib import Path

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic, DiagnosticKind, DiagnosticLevel
from pihost.extensions.candidate import Candidate, Source

__all__ = ["Fault", "Found", "Origin", "error", "printable", "warning"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Origin(Value):
    """How a place came to be searched.

    Attributes:
        source: Which kind of place it is.
        from_project: Whether it is the project that says so.
        explicit: Whether it was given with ``-e``.
    """

    source: Source
    from_project: bool = False
    explicit: bool = False


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Fault(Value):
    """Something wrong with a place.

    Attributes:
        diagnostic: What is wrong.
        from_project: Whether it is the project's own fault, which matters only once the project is trusted.
    """

    diagnostic: Diagnostic
    from_project: bool = False


Found = Candidate | Fault
"""One thing a search comes upon."""


def error(message: str, source: str | Path, *, from_project: bool, hint: str | None = None) -> Fault:
    """A fault that stops a start."""
    return _fault("error", message, str(source), from_project=from_project, hint=hint)


def warning(
    message: str, source: str | Path, *, from_project: bool, kind: DiagnosticKind = "discovery"
) -> Fault:
    """A fault that stops no start."""
    return _fault("warning", message, str(source), from_project=from_project, kind=kind)


def _fault(
    level: DiagnosticLevel,
    message: str,
    source: str,
    *,
    from_project: bool,
    kind: DiagnosticKind = "discovery",
    hint: str | None = None,
) -> Fault:
    diagnostic = Diagnostic(level=level, message=message, kind=kind, source=source, hint=hint)
    return Fault(diagnostic=diagnostic, from_project=from_project)


def printable(name: str) -> str:
    """``name`` without what a terminal would obey or an encoder refuse; a file name may hold anything."""
    return name if name.isprintable() else "".join(c if c.isprintable() else "_" for c in name)
