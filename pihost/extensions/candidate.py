"""What discovery finds: a candidate is an extension of which nothing has been executed."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

__all__ = ["Candidate", "Discovery", "Requires", "Source"]


class Source(enum.Enum):
    """Where an extension was found, in the order in which extensions take part."""

    LOCAL = "local"
    """The project's own: its ``extensions`` directory, or a distribution that is part of it."""

    GLOBAL = "global"
    """The user's ``extensions`` directory."""

    CONFIGURED = "configured"
    """A path in the settings or given with ``-e``."""

    INSTALLED = "installed"
    """An entry point of an installed distribution."""

    @property
    def rank(self) -> int:
        """The position of this source in the final order, from 0."""
        return _RANKS[self]


_RANKS = {source: rank for rank, source in enumerate(Source)}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Requires(Value):
    """What an extension says it needs, as far as the host checks it.

    Attributes:
        host: Versions of pihost it works with; ``None`` is any.
        python: Versions of Python it works with; ``None`` is any.
        packages: Distributions it needs; those whose markers do not hold here need nothing.
    """

    host: SpecifierSet | None = None
    python: SpecifierSet | None = None
    packages: tuple[Requirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to check."""
        return self.host is None and self.python is None and not self.packages


def _own_name(candidate: Candidate) -> str:
    return candidate.id


def _is_local(candidate: Candidate) -> bool:
    return candidate.source is Source.LOCAL


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Candidate(Value):
    """An extension that was found. Nothing of it has been executed.

    Attributes:
        id: Short and unique in one discovery; what messages and ``disabled`` call it.
        source: Where it was found first.
        path: The file or package directory as the user wrote it; ``None`` for an entry point. It is written
            as in the user's own settings or after ``-e`` where the project leads to it as well.
        resolved: The same with every link followed, by which duplicates are found. A package is its
            directory, also where its ``__init__.py`` was named.
        entry_point: The object an entry point names, as ``module`` or ``module:attribute``.
        distribution: The normalised name of the distribution that declares the entry point.
        version: That distribution's version.
        metadata: Where that distribution's metadata lies: a directory, or the archive it is in. It is there
            for every entry point, so that one which needs trust always has a place to guard.
        requires: What it needs.
        name: The id it would have if no other had the same.
        usual_id: The id it has where no project takes part. What the user wrote about it under that id holds
            also where a file of the project's has taken the id.
        entry_name: The entry point's name.
        explicit: Whether it was given with ``-e``: such a path needs no trust, for the user typed it.
        from_project: Whether only the project leads to it: its ``extensions`` directory, its settings, or a
            distribution that is part of it. What the user's own settings or directory reach as well is the
            user's, so that a project cannot take hold of it with a link.
        replaceable: Whether it steps aside for another that registers the same.
    """

    id: str
    source: Source
    path: Path | None = None
    resolved: Path | None = None
    entry_point: str | None = None
    distribution: str | None = None
    version: str | None = None
    metadata: Path | None = None
    requires: Requires = attrs.field(factory=Requires)
    name: str = attrs.field(default=attrs.Factory(_own_name, takes_self=True))
    usual_id: str = attrs.field(default=attrs.Factory(_own_name, takes_self=True))
    entry_name: str | None = None
    explicit: bool = False
    from_project: bool = attrs.field(default=attrs.Factory(_is_local, takes_self=True))
    replaceable: bool = False

    @property
    def needs_trust(self) -> bool:
        """Whether it may be loaded only in a trusted project."""
        return self.from_project and not self.explicit

    @property
    def location(self) -> str:
        """Where it is, for people: the path as the user wrote it, or distribution and entry point."""
        if self.path is not None:
            return str(self.path)
        distribution = " ".join(filter(None, (self.distribution, self.version)))
        return f"{distribution}, entry point {self.entry_name} = {self.entry_point}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Discovery(Value):
    """Everything there is, before anything was decided about it.

    Attributes:
        candidates: In the final order: local, global, configured, installed.
        commands: What the project's own distributions bring to the command line.
        diagnostics: What was wrong with directories, manifests, distributions and requirements. The
            ``source`` of a fault of one candidate is its id.
        project_diagnostics: Those of ``diagnostics`` that only the project's own files cause; in a project
            that is not trusted they are nobody's concern.
    """

    candidates: tuple[Candidate, ...] = ()
    commands: tuple[Candidate, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    project_diagnostics: tuple[Diagnostic, ...] = ()
