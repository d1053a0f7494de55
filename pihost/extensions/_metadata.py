"""Reading the text files of an installed distribution: its header block and its entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

__all__ = ["EntryPoints", "Headers", "parse_entry_points", "parse_headers"]

_OBJECT = re.compile(
    r"(?P<object>[^\W\d]\w*(\.[^\W\d]\w*)*(\s*:\s*[^\W\d]\w*(\.[^\W\d]\w*)*)?)\s*(\[[^\]]*\])?"
)


@attrs.frozen(kw_only=True)
class Headers:
    """What the host reads of a distribution's core metadata.

    Attributes:
        name: The distribution's name as it spells it.
        version: Its version.
        requirements: Its ``Requires-Dist`` lines.
    """

    name: str | None = None
    version: str | None = None
    requirements: tuple[str, ...] = ()


def parse_headers(text: str) -> Headers:
    """Read the header block of ``METADATA`` or ``PKG-INFO``; what follows its first empty line is skipped.

    Args:
        text: The file, or as much of it as holds the header block.
    """
    found: dict[str, list[str]] = {"name": [], "version": [], "requires-dist": []}
    for line in text.split("\n"):
        if not line.rstrip("\r"):
            break
        key, colon, value = line.partition(":")
        if colon and key.lower() in found:
            found[key.lower()].append(value.strip())
    return Headers(
        name=next(filter(None, found["name"]), None),
        version=next(filter(None, found["version"]), None),
        requirements=tuple(found["requires-dist"]),
    )


@attrs.frozen(kw_only=True)
class EntryPoints:
    """One group of one ``entry_points.txt``.

    Attributes:
        objects: ``module`` or ``module:attribute`` by the entry point's name, in name order.
        faults: What is wrong with the file, one clause a line of it.
    """

    objects: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()


def parse_entry_points(text: str, group: str) -> EntryPoints:
    """Read one group of an ``entry_points.txt``. A line that is wrong becomes a fault and the others count.

    Args:
        text: The whole file.
        group: The group's name.
    """
    objects: dict[str, str] = {}
    faults: list[str] = []
    for number, line in _lines_of(text, group):
        name, equals, value = (part.strip() for part in line.partition("="))
        match = _OBJECT.fullmatch(value)
        if not equals or not name:
            faults.append(f'line {number} of entry_points.txt is not "name = module:attribute": {line!r}')
        elif match is None:
            faults.append(f'line {number} of entry_points.txt names no "module:attribute": {line!r}')
        else:
            objects.setdefault(name, re.sub(r"\s", "", match["object"]))
    return EntryPoints(objects=tuple(sorted(objects.items())), faults=tuple(faults))


def _lines_of(text: str, group: str) -> Iterator[tuple[int, str]]:
    """The lines of ``group`` with their numbers, without comments and empty lines."""
    section: str | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line and not line.startswith(("#", ";")) and section == group:
            yield number, line
