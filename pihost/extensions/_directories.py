"""Searching directories and configured paths for extensions, one level deep."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pihost.extensions._found import Found, Origin, error, printable, warning
from pihost.extensions._inline_metadata import InlineMetadataError, read_inline_requires
from pihost.extensions._manifest import FILE_NAME, Manifest, read_manifest
from pihost.extensions.candidate import Candidate
from pihost.near import near_names
from pihost.paths import canonical

__all__ = ["search_configured", "search_directory"]

_INIT = "__init__.py"
_NO_MANIFEST = Manifest()


def search_directory(directory: Path, origin: Origin) -> Iterator[Found]:
    """The extensions of a directory, in the code point order of its entries.

    An entry is a file ``name.py``, a directory with a manifest, or a directory with ``__init__.py``.

    Args:
        directory: One that is not there holds nothing; one that cannot be read is an error.
        origin: How it came to be searched.
    """
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as fault:
        if not isinstance(fault, FileNotFoundError) or directory.is_symlink():
            yield error(_unreadable(directory, fault), directory, from_project=origin.from_project)
        return
    place = canonical(directory)
    is_canonical = str(place) == str(directory)
    for entry in entries:
        if not entry.name.startswith(("_", ".")):
            path = directory / entry.name
            yield from _search_entry(entry, path, path if is_canonical else place / entry.name, origin)


def _search_entry(entry: os.DirEntry[str], path: Path, resolved: Path, origin: Origin) -> Iterator[Found]:
    is_link = entry.is_symlink()
    if is_link:
        try:
            entry.stat()
        except OSError as fault:  # it leads nowhere, or into a directory nobody may enter
            yield warning(_unreadable(path, fault), path, from_project=origin.from_project)
            return
    if entry.is_dir():  # of most entries this is known from the listing
        yield from _search_package(path, origin)
    elif entry.name.endswith(".py") and entry.is_file():
        yield from _one_file(path, origin, None if is_link else resolved)


def _search_package(directory: Path, origin: Origin) -> Iterator[Found]:
    """What one directory offers as a whole: its manifest before its ``__init__.py``; perhaps nothing."""
    try:
        has_manifest, has_init = _is_file(directory / FILE_NAME), _is_file(directory / _INIT)
    except OSError as fault:
        yield error(_unreadable(directory, fault), directory, from_project=origin.from_project)
        return
    manifest = read_manifest(directory) if has_manifest else _NO_MANIFEST
    yield from _manifest_faults(directory / FILE_NAME, manifest, origin)
    if manifest.errors:
        return
    if manifest.files is not None:
        for path in manifest.files:
            yield _candidate(path, origin, name=_manifest_name(directory, path, manifest), manifest=manifest)
    elif has_init:
        yield _candidate(directory, origin, name=_name(directory), manifest=manifest)


def _manifest_faults(path: Path, manifest: Manifest, origin: Origin) -> Iterator[Found]:
    for text in manifest.errors:
        yield error(f"{path}: {text}", path, from_project=origin.from_project)
    for text in manifest.warnings:
        yield warning(f"{path}: {text}", path, from_project=origin.from_project)


def _manifest_name(directory: Path, path: Path, manifest: Manifest) -> str:
    own = path.parent.name if path.name == _INIT else path.stem
    return _name(directory) if manifest.is_single else f"{_name(directory)}.{own}"


def _one_file(path: Path, origin: Origin, resolved: Path | None = None) -> Iterator[Found]:
    if path.name == _INIT:
        yield _candidate(path, origin, name=_name(path.parent))
        return
    requires = _NO_MANIFEST.requires
    try:
        requires = read_inline_requires(path)
    except InlineMetadataError as fault:
        text = f"{path}: its script metadata is wrong, so nothing it requires is checked: {fault}"
        yield warning(text, path, from_project=origin.from_project)
    found = _NO_MANIFEST if requires.is_empty else Manifest(requires=requires)
    yield _candidate(path, origin, name=path.stem, manifest=found, resolved=resolved)


def _candidate(
    path: Path,
    origin: Origin,
    *,
    name: str,
    manifest: Manifest = _NO_MANIFEST,
    resolved: Path | None = None,
) -> Candidate:
    return Candidate(
        id=printable(name),
        source=origin.source,
        path=path,
        resolved=resolved or canonical(path.parent if path.name == _INIT else path),
        requires=manifest.requires,
        explicit=origin.explicit,
        from_project=origin.from_project,
        replaceable=manifest.replaceable,
    )


def search_configured(text: str, base: Path, origin: Origin) -> Iterator[Found]:
    """The extensions a configured path leads to: a file, a package, or the entries of a directory.

    Args:
        text: The path as the user wrote it.
        base: What a relative one starts from.
        origin: Who configured it.
    """
    path = base / os.path.expanduser(text)  # noqa: PTH111 -- Path.expanduser() raises for a user who is not there
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        yield error(
            f"{_how_given(origin)} {text}, which does not exist",
            text,
            from_project=origin.from_project,
            hint=_near_paths(path),
        )
        return
    except OSError as fault:
        yield error(_unreadable(path, fault), path, from_project=origin.from_project)
        return
    yield from _search_directory_path(path, origin) if stat.S_ISDIR(mode) else _search_file(path, origin)


def _search_file(path: Path, origin: Origin) -> Iterator[Found]:
    if path.is_file():
        yield from _one_file(path, origin)
    else:
        text = f"{_how_given(origin)} {path}, which is neither a file nor a directory"
        yield error(text, path, from_project=origin.from_project)


def _search_directory_path(directory: Path, origin: Origin) -> Iterator[Found]:
    found = tuple(_search_package(directory, origin)) or tuple(search_directory(directory, origin))
    yield from found
    if not found:
        text = f"{_how_given(origin)} {directory}, which holds no extension"
        report = error if origin.explicit else warning
        yield report(text, directory, from_project=origin.from_project)


def _how_given(origin: Origin) -> str:
    if origin.explicit:
        return "-e names"
    return "The project's settings name" if origin.from_project else "The settings name"


def _near_paths(path: Path) -> str | None:
    try:
        names = [entry.name for entry in path.parent.iterdir() if not entry.name.startswith((".", "_"))]
    except (OSError, ValueError):
        return None
    near = near_names(path.name, names, most=3)
    return f"Did you mean {' or '.join(str(path.with_name(name)) for name in near)}?" if near else None


def _name(directory: Path) -> str:
    """A directory's own name, also where it is written as ``.`` or ``..``."""
    return directory.name if directory.name not in {"", ".."} else canonical(directory).name or "root"


def _is_file(path: Path) -> bool:
    """Whether there is a regular file.

    Raises:
        OSError: the directory it would be in cannot be entered.
    """
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _unreadable(path: Path, fault: OSError) -> str:
    return f"{path} cannot be read: {fault.strerror or fault}"
