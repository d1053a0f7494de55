"""Installed distributions as a source of candidates, and which of them belong to the project."""

from __future__ import annotations

import json
import os
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import attrs

from pihost._values import Value
from pihost.extensions._distributions import MetadataFault, RawDistribution, find_distributions
from pihost.extensions._found import Found, printable, warning
from pihost.extensions.candidate import Candidate, Requires, Source
from pihost.paths import canonical, normalize_name

__all__ = ["ProjectCommand", "search_installed"]

_NOTHING = Requires()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProjectCommand(Value):
    """A command that a distribution of the project brings to the command line; it needs trust as well.

    Attributes:
        candidate: Where it was found.
    """

    candidate: Candidate


def search_installed(
    group: str, cwd: Path, *, commands: str | None = None
) -> Iterator[Found | ProjectCommand]:
    """The entry points that distributions on ``sys.path`` declare, by distribution name, then entry name.

    Args:
        group: The entry-point group.
        cwd: The project's directory.
        commands: The group of commands, whose name begins with ``group``; the project's own are told too.
    """
    project = _Project.of(cwd)
    distributions = []
    path = [entry for entry in cast(list[object], sys.path) if isinstance(entry, str)]  # as import does
    for found in find_distributions(group, path):
        if isinstance(found, MetadataFault):
            yield _warning(found, from_project=project.holds(found.location))
        else:
            distributions.append(found)
    inside = {directory: project.holds(directory) for directory in {d.directory for d in distributions}}
    for distribution in sorted(distributions, key=lambda d: normalize_name(d.name)):
        own = inside[distribution.directory] or project.is_source_of(distribution)
        yield from _candidates(distribution, group, from_project=own)
        if own and commands is not None:
            for one in _candidates(distribution, commands, from_project=True):
                if isinstance(one, Candidate):
                    yield ProjectCommand(candidate=one)


def _warning(fault: MetadataFault, *, from_project: bool) -> Found:
    text = f"{printable(fault.location)}: {printable(fault.text)}"
    return warning(text, fault.location, from_project=from_project, kind="package")


def _candidates(distribution: RawDistribution, group: str, *, from_project: bool) -> Iterator[Found]:
    from pihost.extensions._metadata import parse_entry_points

    name = normalize_name(printable(distribution.name))
    declared = parse_entry_points(distribution.entry_points, group)
    faults = list(declared.faults)
    requires = _requires(distribution, faults)
    for fault in faults:
        text = f"distribution {name}: {fault}"
        yield _warning(MetadataFault(location=distribution.location, text=text), from_project=from_project)
    for entry_name, target in declared.objects:
        yield Candidate(
            id=name if len(declared.objects) == 1 else printable(f"{name}.{entry_name}"),
            source=Source.LOCAL if from_project else Source.INSTALLED,
            entry_point=target,
            entry_name=entry_name,
            distribution=name,
            version=distribution.headers.version,
            metadata=Path(distribution.location).absolute(),
            requires=requires,
            from_project=from_project,
        )


def _requires(distribution: RawDistribution, faults: list[str]) -> Requires:
    """What a distribution requires of the host. Its other requirements are pip's business."""
    texts = distribution.headers.requirements
    if not texts:
        return _NOTHING
    from pihost.extensions._metadata import HOST
    from pihost.extensions._requirements import versions_required

    try:
        return Requires(host=versions_required(HOST, texts))
    except ValueError as fault:
        faults.append(str(fault))
        return Requires()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Project:
    """Which places are the project's own.

    Attributes:
        root: The project's directory, links followed.
        environment: Where the running interpreter keeps its packages. An environment inside the project is
            not the project's: it ran before anything could be asked, and pip put its packages there.
    """

    root: Path
    environment: frozenset[Path]

    @classmethod
    def of(cls, cwd: Path) -> _Project:
        places = (*site.getsitepackages(), site.getusersitepackages())
        return cls(root=canonical(cwd), environment=frozenset(canonical(Path(place)) for place in places))

    def holds(self, location: str) -> bool:
        """Whether a place lies in the project; what some finder says of itself is no place."""
        if not Path(location).is_absolute() and not os.path.lexists(location):
            return False
        place = canonical(Path(location))
        return place.is_relative_to(self.root) and not self.environment.intersection((place, *place.parents))

    def is_source_of(self, distribution: RawDistribution) -> bool:
        """Whether a distribution is an editable install of the project, a part of it, or what it is in."""
        url = distribution.direct_url
        source = None if url is None else _editable_source(url)
        return source is not None and (source.is_relative_to(self.root) or self.root.is_relative_to(source))


def _editable_source(direct_url: str) -> Path | None:
    """The directory an editable install leads to, from the text of its ``direct_url.json`` (PEP 610)."""
    from urllib.parse import urlsplit

    try:
        record = json.loads(direct_url)
        url = urlsplit(record["url"]) if record.get("dir_info", {}).get("editable") is True else None
        if url is None or url.scheme != "file":
            return None
        from urllib.request import url2pathname  # which takes longer than all the rest

        return canonical(Path(url2pathname(url.path)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # whatever it is, it is no editable install
