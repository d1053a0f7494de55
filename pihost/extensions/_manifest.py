"""The manifest of a directory of extensions: ``[tool.pihost]`` in its ``pyproject.toml``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.extensions._file_reading import read_file
from pihost.extensions.candidate import Requires
from pihost.near import near_aside
from pihost.paths import canonical

__all__ = ["FILE_NAME", "Manifest", "read_manifest"]

FILE_NAME = "pyproject.toml"
"""The file a manifest stands in."""

_KEYS = ("extensions", "replaceable", "requires-host")
_MOST_BYTES = 1 << 20


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Manifest(Value):
    """What ``[tool.pihost]`` says.

    Attributes:
        files: The extensions' files, as written, below the directory; ``None`` where the key is not there, so
            that the directory is looked at as if it had no manifest.
        is_single: Whether the key names one path only, also where others are missing.
        requires: What they need.
        replaceable: Whether they step aside for another that registers the same.
        errors: What is wrong so that nothing of the directory can be used.
        warnings: What is wrong beside that.
    """

    files: tuple[Path, ...] | None = None
    is_single: bool = False
    requires: Requires = attrs.field(factory=Requires)
    replaceable: bool = False
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_manifest(directory: Path) -> Manifest:
    """Read a directory's manifest; one without ``[tool.pihost]`` is empty, one larger than 1 MiB an error.

    Args:
        directory: Holds the ``pyproject.toml``, which must be a regular file.
    """
    import tomllib

    try:
        table = tomllib.loads(read_file(directory / FILE_NAME, most=_MOST_BYTES).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        return Manifest(errors=(f"cannot be read: {fault}",))
    tool = table.get("tool", {})
    own = tool.get("pihost", {}) if isinstance(tool, dict) else {}
    if not isinstance(own, dict):
        return Manifest(errors=(f"tool.pihost must be a table, not {own!r}",))
    return _check(directory, own)


def _check(directory: Path, own: Mapping[str, Any]) -> Manifest:
    """The manifest with every fault it has."""
    errors: list[str] = []
    warnings = [_unknown(key) for key in own if key not in _KEYS]
    requires = _requires(own.get("requires-host"), errors)
    replaceable = own.get("replaceable", False)
    if not isinstance(replaceable, bool):
        errors.append(f"tool.pihost.replaceable must be true or false, not {replaceable!r}")
    named = own.get("extensions")
    files = _files(directory, named, errors, warnings) if "extensions" in own else None
    return Manifest(
        files=files,
        is_single=isinstance(named, list) and len(named) == 1,
        requires=requires,
        replaceable=replaceable is True,
        errors=tuple(errors),
        warnings=tuple(warnings),
    )


def _unknown(key: str) -> str:
    return f"there is no tool.pihost.{key}{near_aside(key, _KEYS)}"


def _requires(value: Any, errors: list[str]) -> Requires:
    if value is None:
        return Requires()
    from pihost.extensions._requirements import parse_specifier

    try:
        return Requires(host=parse_specifier(value if isinstance(value, str) else repr(value)))
    except ValueError as fault:
        errors.append(f"tool.pihost.requires-host: {fault}")
        return Requires()


def _files(directory: Path, value: Any, errors: list[str], warnings: list[str]) -> tuple[Path, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        errors.append(f"tool.pihost.extensions must be a list of paths, not {value!r}")
        return ()
    root = canonical(directory)
    files, missing = [], []
    for item in value:
        path = directory / item
        if not os.path.isfile(path):  # noqa: PTH113 -- Path.is_file() raises on a path with NUL or too long a name
            missing.append(item)
        elif not canonical(path).is_relative_to(root):
            errors.append(f"tool.pihost.extensions names {item!r}, which leads out of the directory")
        else:
            files.append(path)
    _report_missing(missing, errors if not files else warnings)
    return tuple(files)


def _report_missing(missing: Sequence[str], faults: list[str]) -> None:
    faults.extend(f"tool.pihost.extensions names {item!r}, which is no file" for item in missing)
