"""Changing the list of disabled extensions in a settings file, comments and order kept."""

from __future__ import annotations

from collections.abc import MutableSequence
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pihost.errors import PihostError
from pihost.paths import make_private_dir, normalize_name
from pihost.tools.writing.atomic import replace_file

__all__ = ["SettingsEditError", "disable_in", "enable_in"]


class SettingsEditError(PihostError):
    """A settings file cannot be changed without losing something.

    Attributes:
        path: The file.
        reason: Why not, and what would help.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def disable_in(path: Path, extension: str) -> bool:
    """Add an id to ``disabled``.

    Returns:
        Whether the file changed; it does not where the id is there already.

    Raises:
        SettingsEditError: the file is not well formed, or its ``disabled`` is no list of strings.
    """
    document, names = _read(path)
    if normalize_name(extension) in map(normalize_name, names):
        return False
    names.append(extension)
    _write(path, document)
    return True


def enable_in(path: Path, extension: str) -> bool:
    """Take an id out of ``disabled``.

    Returns:
        Whether the file changed; it does not where the id is not in the list.

    Raises:
        SettingsEditError: the file is not well formed, or its ``disabled`` is no list of strings.
    """
    document, names = _read(path)
    same = [name for name in names if normalize_name(name) == normalize_name(extension)]
    for name in same:
        names.remove(name)
    if same:
        _write(path, document)
    return bool(same)


def _read(path: Path) -> tuple[tomlkit.TOMLDocument, MutableSequence[str]]:
    try:
        # As bytes, since reading text would make one kind of line end of all.
        document = tomlkit.parse(path.read_bytes().decode()) if path.exists() else tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as fault:
        raise SettingsEditError(path, f"mend it first, it cannot be read: {fault}") from fault
    names = document.setdefault("disabled", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SettingsEditError(path, "mend it first: 'disabled' must be a list of strings")
    return document, names


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    make_private_dir(path.parent)
    replace_file(path, tomlkit.dumps(document).encode())
