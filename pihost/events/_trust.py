"""The question whether a project is trusted, and the word of an extension on it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

import attrs

from pihost._values import Value
from pihost.events._base import Event

__all__ = [
    "ProjectTrustEvent",
    "ProjectTrustResult",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProjectTrustEvent(Event):
    """A project holds resources that need trust, and nobody has decided yet.

    Attributes:
        cwd: The project's directory.
    """

    hook_name: ClassVar[str] = "project_trust"
    cwd: Path


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProjectTrustResult(Value):
    """An extension's word on a project.

    Attributes:
        trusted: ``"yes"``, ``"no"``, or ``"undecided"`` to leave it to the next.
        remember: Whether the word is stored for later starts too.
        extension: Id of the extension whose word it is. The host fills it in, over whatever a handler put
            there; it is no part of what makes two words equal.
    """

    trusted: Literal["yes", "no", "undecided"] = attrs.field(
        validator=attrs.validators.in_(("yes", "no", "undecided"))
    )
    remember: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    extension: str | None = attrs.field(default=None, eq=False)
