"""Reading the texts of requirements. Importing `packaging` is slow, so only what holds one imports this."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from pihost.paths import normalize_name

if TYPE_CHECKING:
    from packaging.requirements import Requirement

__all__ = ["parse_requirements", "parse_specifier", "versions_required"]

_PLAIN = re.compile(r"[\w.-]+\s*\(?(?P<versions>[^;@\[\]()]*)\)?")


def parse_specifier(text: str) -> SpecifierSet:
    """A set of versions such as ``>=1,<2``.

    Raises:
        ValueError: it is none; the text says so.
    """
    try:
        return SpecifierSet(text)
    except InvalidSpecifier as fault:
        raise ValueError(f'{text!r} is no set of versions such as ">=1,<2"') from fault


def parse_requirements(texts: Iterable[str]) -> tuple[Requirement, ...]:
    """Requirements such as ``zzz<1; os_name == "posix"``.

    Raises:
        ValueError: one of them is none, or its marker cannot be evaluated.
    """
    return tuple(map(_parse, texts))


def _parse(text: str) -> Requirement:
    from packaging.requirements import Requirement

    try:
        requirement = Requirement(text)
        _applies(requirement)
    except ValueError as fault:
        raise ValueError(f"{text!r} is no requirement: {str(fault).splitlines()[0]}") from fault
    return requirement


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate()


def versions_required(name: str, texts: Iterable[str]) -> SpecifierSet | None:
    """The versions of one distribution that satisfy every requirement on it; those of extras do not apply.

    Args:
        name: The distribution, normalised.
        texts: Requirements, on whatever distribution.

    Returns:
        ``None`` where nothing is required of it.

    Raises:
        ValueError: a requirement on it is malformed.
    """
    found: SpecifierSet | None = None
    for text in texts:
        leading = re.match(r"[\w.-]+", text.lstrip())
        if leading is not None and normalize_name(leading[0]) == name:
            versions = _versions(text.strip())
            if versions is not None:
                found = versions if found is None else found & versions
    return found


def _versions(text: str) -> SpecifierSet | None:
    """The versions one requirement allows; ``None`` where it does not apply here."""
    plain = _PLAIN.fullmatch(text)
    if plain is not None:  # most have no marker, and parsing those in full means importing much more
        return parse_specifier(plain["versions"])
    requirement = _parse(text)
    return requirement.specifier if _applies(requirement) else None
