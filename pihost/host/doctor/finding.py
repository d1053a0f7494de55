"""What a check comes to, and what checks look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import attrs

from pihost.config import HostConfig
from pihost.diagnostics import Diagnostic, DiagnosticKind
from pihost.host._startup import Startup

__all__ = ["Examined", "Finding", "FindingLevel", "Place"]

FindingLevel = Literal["ok", "warning", "error"]
"""``error`` stops a start or is nothing to work with, ``warning`` is worth mending."""


@attrs.frozen(kw_only=True)
class Finding:
    """What one check says of one thing.

    Attributes:
        check: Name of the check.
        level: How bad it is.
        message: What is there, or what is wrong.
        subject: The extension's id, the setting or the file it is about; ``None`` for the whole.
        where: The path or place in the source, if it is not in the message.
        advice: What to do about it, as a sentence; ``None`` where all is well.
        stack: The traceback, cut to the extension's own frames, where loading failed.
    """

    check: str
    level: FindingLevel
    message: str
    subject: str | None = None
    where: str | None = None
    advice: str | None = None
    stack: str | None = None


@attrs.frozen(kw_only=True)
class Place:
    """Where a start would happen.

    Attributes:
        cwd: The project's directory, absolute.
        config: The host's names.
        home: The user's global directory.
        session_dir: Where sessions are kept.
    """

    cwd: Path
    config: HostConfig
    home: Path
    session_dir: Path


@attrs.frozen(kw_only=True)
class Examined:
    """What a start without a session has found.

    Attributes:
        startup: Everything up to the point where a session would begin.
        diagnostics: Everything a start would report, binding included.
    """

    startup: Startup
    diagnostics: tuple[Diagnostic, ...]

    def of_kind(self, *kinds: DiagnosticKind) -> Iterator[Diagnostic]:
        """The diagnostics of these kinds, in order."""
        return (one for one in self.diagnostics if one.kind in kinds)

    def incompatible(self) -> frozenset[str | None]:
        """Ids of the extensions whose requirements are not met."""
        dropped = self.startup.admission.dropped
        return frozenset(one.candidate.id for one in dropped if one.cause == "incompatible")
