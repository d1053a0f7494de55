"""The inline script metadata of a one-file extension (PEP 723), read without running the file."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pihost.extensions._file_reading import read_file
from pihost.extensions.candidate import Requires

__all__ = ["InlineMetadataError", "read_inline_requires"]

_OPENING = "# /// script"
_OPENING_BYTES = _OPENING.encode()
_CLOSING = "# ///"
_MOST_BYTES = 16 << 20
_NOTHING = Requires()


class InlineMetadataError(ValueError):
    """A metadata block that does not say what it should; the text says what is wrong with it."""


def read_inline_requires(path: Path) -> Requires:
    """What a file says it requires.

    Args:
        path: A regular file; one that cannot be read requires nothing, since loading it will fail anyway.

    Raises:
        InlineMetadataError: the block is malformed, or the file larger than 16 MiB.
    """
    try:
        data = read_file(path, most=_MOST_BYTES)
    except OSError as fault:
        if fault.errno == errno.EFBIG:
            raise InlineMetadataError(f"the file is larger than {_MOST_BYTES >> 20} MiB") from fault
        return _NOTHING
    if _OPENING_BYTES not in data:
        return _NOTHING
    blocks = _script_blocks(data.decode("utf-8-sig", errors="replace").splitlines())
    if len(blocks) > 1:
        raise InlineMetadataError("there is more than one block of script metadata")
    return _requires(_parse(blocks[0])) if blocks else _NOTHING


def _script_blocks(lines: Iterable[str]) -> list[str]:
    """The contents of the ``script`` blocks. A block ends at the last closing line of its run of comments."""
    blocks: list[str] = []
    content: list[str] | None = None
    closed_at: int | None = None
    for line in (*lines, ""):
        if content is None:
            if line.rstrip() == _OPENING:
                content, closed_at = [], None
            continue
        if line == "#" or line.startswith("# "):
            if line.rstrip() == _CLOSING:
                closed_at = len(content)
            content.append(line[2:])
            continue
        if closed_at is not None:
            blocks.append("\n".join(content[:closed_at]))
        content = None
    return blocks


def _parse(block: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(block)
    except (ValueError, RecursionError) as fault:
        raise InlineMetadataError(f"the block is not TOML: {fault}") from fault


def _requires(table: Mapping[str, Any]) -> Requires:
    python, dependencies = table.get("requires-python"), table.get("dependencies", [])
    if python is not None and not isinstance(python, str):
        raise InlineMetadataError(f"requires-python must be a string, not {python!r}")
    if not isinstance(dependencies, list) or not all(isinstance(item, str) for item in dependencies):
        raise InlineMetadataError(f"dependencies must be a list of strings, not {dependencies!r}")
    if python is None and not dependencies:
        return _NOTHING
    from pihost.extensions._requirements import parse_requirements, parse_specifier

    try:
        packages = parse_requirements(dependencies)
        return Requires(python=None if python is None else parse_specifier(python), packages=packages)
    except ValueError as fault:
        raise InlineMetadataError(str(fault)) from fault
