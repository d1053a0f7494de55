"""Opening the files in a distribution's metadata directory: little of each, and never one that blocks."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.paths import normalize_name

if TYPE_CHECKING:
    from pihost.extensions._metadata import Headers

__all__ = ["METADATA_SUFFIXES", "distribution_name", "read_bytes", "read_headers", "read_text"]

METADATA_SUFFIXES = (".dist-info", ".egg-info")
"""How the name of a metadata directory ends."""

_CHUNK = 16 * 1024
_MOST_BYTES = 1 << 20
_HEADERS_CHUNK = 4 * 1024
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a named pipe must not hold up the start
)


def read_bytes(path: str) -> bytes:
    """A file's bytes.

    Raises:
        OSError: there is none, it cannot be read, or it is larger than 1 MiB.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, _CHUNK)
        while len(data) % _CHUNK == 0 and (more := os.read(descriptor, _CHUNK)):
            data += more
            if len(data) > _MOST_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    finally:
        os.close(descriptor)
    return data


def read_text(path: str) -> str | None:
    """A file's text, or ``None`` where there is no such file or it cannot be read."""
    if not os.access(path, os.F_OK):  # it is seldom there, and an exception costs more
        return None
    try:
        return read_bytes(path).decode("utf-8", errors="replace")
    except OSError:
        return None


def read_headers(location: str) -> Headers:
    """The header block of a metadata directory; of an empty one, nothing.

    Args:
        location: The directory.

    Raises:
        OSError: it cannot be read.
    """
    from pihost.extensions._metadata import Headers, parse_headers

    is_egg = location.endswith(".egg-info")
    try:
        block = _header_block(f"{location}/{'PKG-INFO' if is_egg else 'METADATA'}")
    except (FileNotFoundError, NotADirectoryError):
        return Headers()
    headers = parse_headers(block.decode("utf-8", errors="replace").removeprefix("\ufeff"))
    if is_egg and not headers.requirements and os.path.exists(f"{location}/requires.txt"):  # noqa: PTH110 -- a string is cheaper
        headers = attrs.evolve(headers, requirements=_egg_requirements(location))
    return headers


def _header_block(path: str) -> bytes:
    """The file up to its first empty line or a little further; the long description is of no use here.

    Raises:
        OSError: it cannot be read, or the block is larger than 1 MiB.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = more = os.read(descriptor, _HEADERS_CHUNK)
        while more and b"\n\n" not in data and b"\n\r\n" not in data:
            more = os.read(descriptor, _HEADERS_CHUNK)
            data += more
            if len(data) > _MOST_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    finally:
        os.close(descriptor)
    return data


def _egg_requirements(location: str) -> tuple[str, ...]:
    import importlib_metadata

    return tuple(importlib_metadata.Distribution.at(Path(location)).requires or ())


def distribution_name(directory: str) -> str:
    """The normalised name that a metadata directory's own name begins with.

    Args:
        directory: Such as ``acme_foo-1.0.dist-info``, ``acme_foo-1.0-py3.12.egg-info``, ``acme.egg-info``.
    """
    stem = re.sub(r"-py\d[\d.]*$", "", directory.rpartition(".")[0])
    name, dash, version = stem.rpartition("-")
    return normalize_name(name if dash and version[:1].isdigit() else stem)
