"""Whether what an extension requires is here, found out without importing anything of it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost._version import __version__
from pihost.extensions._metadata import HOST, parse_headers
from pihost.extensions.candidate import Requires
from pihost.paths import normalize_name

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

__all__ = ["Shortfall", "shortfalls"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Shortfall(Value):
    """One requirement that is not met.

    Attributes:
        requirement: What is required, such as ``zzz<1``.
        found: What there is instead, as a clause.
        hint: How to mend it.
    """

    requirement: str
    found: str
    hint: str

    def __str__(self) -> str:
        return f"requires {self.requirement}, but {self.found}"


def shortfalls(requires: Requires) -> tuple[Shortfall, ...]:
    """Every requirement that this environment does not meet. Pre-releases count like releases.

    Args:
        requires: What an extension needs.
    """
    return () if requires.is_empty else tuple(_shortfalls(requires))


def _shortfalls(requires: Requires) -> Iterator[Shortfall]:
    if requires.host is not None and not _contains(requires.host, __version__):
        yield _install(f"{HOST}{requires.host}", f"{HOST} {__version__} is installed")
    python = platform.python_version()
    if requires.python is not None and not _contains(requires.python, python):
        hint = f"Run it with a Python that is {requires.python}."
        yield Shortfall(requirement=f"Python {requires.python}", found=f"this is Python {python}", hint=hint)
    for requirement in requires.packages:
        if requirement.marker is None or requirement.marker.evaluate():
            yield from _package(requirement)


def _package(requirement: Requirement) -> Iterator[Shortfall]:
    version = _installed_version(requirement.name)
    wanted = _without_marker(requirement)
    if version is None:
        yield _install(wanted, f"{requirement.name} is not installed")
    elif not _contains(requirement.specifier, version):
        yield _install(wanted, f"{requirement.name} {version} is installed")


def _contains(specifier: SpecifierSet, version: str) -> bool:
    from packaging.version import InvalidVersion

    try:
        return specifier.contains(version, prereleases=True)
    except InvalidVersion:  # a version from before PEP 440; newer releases of packaging just say no
        return False


def _install(wanted: str, found: str) -> Shortfall:
    return Shortfall(requirement=wanted, found=found, hint=f'Run: pip install "{wanted}"')


def _without_marker(requirement: Requirement) -> str:
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    where = f" @ {requirement.url}" if requirement.url else str(requirement.specifier)
    return f"{requirement.name}{extras}{where}"


def _installed_version(name: str) -> str | None:
    if normalize_name(name) == HOST:
        return __version__
    import importlib_metadata

    for distribution in importlib_metadata.distributions(name=name):
        text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
        version = parse_headers(text).version
        if version is not None:  # an empty directory left behind by an upgrade is no distribution
            return version
    return None
