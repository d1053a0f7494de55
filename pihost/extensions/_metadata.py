"""Reading the text files of an installed distribution: its header block and its entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from pihost._values import Value

__all__ = ["HOST", "EntryPoints", "Headers", "parse_entry_points", "parse_headers"]

HOST = "pihost"
"""The distribution that is the host."""

_NAME = re.compile(r"^name:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_VERSION = re.compile(r"^version:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_REQUIREMENT = re.compile(rf"^requires-dist:[ \t]*(.*{HOST}.*)$", re.IGNORECASE | re.MULTILINE)
_EXTRAS = re.compile(r"\s*\[[^\]]*\]\Z")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Headers(Value):
    """What the host reads of a distribution's core metadata.

    Attributes:
        name: The distribution's name as it spells it.
        version: Its version.
        requirements: Its ``Requires-Dist`` lines that mention pihost. What else it requires is pip's
            business, and reading all of that would cost more than everything else.
    """

    name: str | None = None
    version: str | None = None
    requirements: tuple[str, ...] = ()


def parse_headers(text: str) -> Headers:
    """Read the header block of ``METADATA`` or ``PKG-INFO``; what follows its first empty line is skipped.

    Args:
        text: The file, or as much of it as holds the header block.
    """
    unix = text.replace("\r\n", "\n") if "\r" in text else text
    block = "" if unix.startswith("\n") else unix.partition("\n\n")[0]
    name, version = _NAME.search(block), _VERSION.search(block)
    return Headers(
        name=name[1] if name else None,
        version=version[1] if version else None,
        requirements=tuple(_REQUIREMENT.findall(block)) if HOST in block.lower() else (),
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EntryPoints(Value):
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
        target = _object_of(value)
        if not equals or not name:
            faults.append(f'line {number} of entry_points.txt is not "name = module:attribute": {line!r}')
        elif target is None:
            faults.append(f'line {number} of entry_points.txt names no "module:attribute": {line!r}')
        else:
            objects.setdefault(name, target)
    return EntryPoints(objects=tuple(sorted(objects.items())), faults=tuple(faults))


def _object_of(value: str) -> str | None:
    """What an entry point names, without its extras; ``None`` where Python could not import it."""
    target = _EXTRAS.sub("", value) if value.endswith("]") else value
    module, colon, attribute = target.partition(":")
    module, attribute = module.rstrip(), attribute.lstrip()
    names = f"{module}.{attribute}" if colon else module
    return f"{module}{colon}{attribute}" if all(map(str.isidentifier, names.split("."))) else None


def _lines_of(text: str, group: str) -> Iterator[tuple[int, str]]:
    """The lines of ``group`` with their numbers, without comments and empty lines."""
    section: str | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line and not line.startswith(("#", ";")) and section == group:
            yield number, line
