"""Pins: exactly which files an approval was given to, so that a change of one is noticed.

A pin lists files by path and content and links by target. Links are followed as well, since whoever loads the
files follows them. Files that the project's settings name as extensions belong to it, wherever they lie.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.errors import PihostError
from pihost.paths import canonical
from pihost.trust._display import shown, shown_list

__all__ = ["DIGEST_PREFIX", "PinChanges", "TrustPin", "TrustPinError", "pin_changes", "take_pin"]

DIGEST_PREFIX = "sha256:"

_FORM = 2
"""What the lists of today say of themselves; those that say nothing were of an older form."""

_MOST_NAMES = 10_000
_MOST_BYTES = 256 * 2**20
"""A pin is taken while somebody waits; what is larger cannot be pinned."""

_CHUNK = 2**20
_Identities = tuple[tuple[int, int], ...]
"""Directories by device and number."""

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class TrustPinError(PihostError):
    """Files cannot be pinned: one cannot be read, or there are too many.

    Attributes:
        path: What stands in the way.
        fault: Why.
    """

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(path, fault)
        self.path = path
        self.fault = fault

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.fault}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustPin(Value):
    """The files of a project as they were at one moment.

    Attributes:
        files: What each name is, by its path from the project's directory (in full where it lies outside):
            ``file <sha256>``, ``link <target>``, ``link <target> file <sha256>``, or ``other``. Targets are
            JSON strings, so that none reads as more than a target.
        form: In which form it was written down; the files are to be compared only within one.
    """

    files: Mapping[str, str]
    form: int = _FORM

    @property
    def digest(self) -> str:
        """One value that stands for all of it: ``sha256:<hex>``."""
        return DIGEST_PREFIX + hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """The list as JSON, the same for the same files; its SHA-256 is the digest."""
        files = dict(self.files)
        listed = {"files": files, "form": self.form} if self.form >= _FORM else files
        return json.dumps(listed, sort_keys=True, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes, digest: str) -> TrustPin | None:
        """The list that ``digest`` stands for, or ``None`` where ``data`` is another."""
        if DIGEST_PREFIX + hashlib.sha256(data).hexdigest() != digest:
            return None
        listed = json.loads(data)
        if isinstance(listed.get("form"), int):
            return cls(files=listed["files"], form=listed["form"])
        return cls(files=listed, form=_FORM - 1)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class PinChanges(Value):
    """How the files of a project differ from those that were approved.

    Attributes:
        changed: Names whose content or target is another.
        added: Names that were not there.
        gone: Names that are there no more.
        other_form: Whether the approval is of another form, so that nothing more can be said.
    """

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    other_form: bool = False

    def __str__(self) -> str:
        if self.other_form:
            return "it was stored in another form, so whether a file changed cannot be told"
        kinds = (("changed", self.changed), ("added", self.added), ("gone", self.gone))
        return "; ".join(f"{kind}: {shown_list(names)}" for kind, names in kinds if names)


def pin_changes(approved: TrustPin, now: TrustPin) -> PinChanges:
    """What became of the approved files, names in order."""
    if approved.form != now.form:
        return PinChanges(other_form=True)
    before, after = approved.files, now.files
    return PinChanges(
        changed=tuple(sorted(name for name in before.keys() & after.keys() if before[name] != after[name])),
        added=tuple(sorted(after.keys() - before.keys())),
        gone=tuple(sorted(before.keys() - after.keys())),
    )


def take_pin(cwd: str | os.PathLike[str], resources: Iterable[Path]) -> TrustPin:
    """List every file of the resources, and of the extensions that a settings file among them names.

    Args:
        cwd: The project's directory.
        resources: What needs trust in it.

    Raises:
        TrustPinError: a file cannot be read, or it is more than can be pinned (10,000 names, 256 MiB).
    """
    every = tuple(resources)
    walk = _Walk(Path(cwd).absolute())
    for path in every:
        walk.add(path)
    for path in _named_by_settings(every):
        walk.add(path)
    return TrustPin(files=walk.files)


def _named_by_settings(resources: Iterable[Path]) -> list[Path]:
    from pihost.settings import FILE_NAME, read_settings_file

    files = [path for path in resources if path.name == FILE_NAME and os.path.isfile(path)]  # noqa: PTH113
    return [
        Path(named)
        for path in files
        for named in read_settings_file(path, "project").values.get("extensions", ())
    ]


class _Walk:
    """Goes through files and directories, and gathers what each name is."""

    def __init__(self, cwd: Path) -> None:
        self.files: dict[str, str] = {}
        self._bases = (cwd, canonical(cwd))
        self._names = 0
        self._bytes = 0

    def add(self, path: Path) -> None:
        """Gather ``path`` and everything in it, however deep.

        Raises:
            TrustPinError: see `take_pin`.
        """
        waiting: list[tuple[Path, _Identities]] = [(path, ())]
        try:
            while waiting:
                waiting += reversed(self._visit(*waiting.pop()))
        except OSError as fault:
            raise TrustPinError(path, fault.strerror or str(fault)) from fault

    def _visit(self, path: Path, inside: _Identities) -> list[tuple[Path, _Identities]]:
        """Gather what ``path`` is; what it holds is returned, each with the directories around it."""
        self._names += 1
        if self._names > _MOST_NAMES:
            raise TrustPinError(path, f"there are more than {_MOST_NAMES} files here, too many to pin")
        link = f"link {json.dumps(str(path.readlink()))}" if path.is_symlink() else ""
        try:
            status = path.stat()
        except FileNotFoundError:
            status = None
        is_directory = status is not None and stat.S_ISDIR(status.st_mode)
        content = "" if is_directory else self._content(path, status)
        if what := f"{link} {content}".strip():
            self.files[self._name(path)] = what
        return _held(path, status, inside) if status is not None and is_directory else []

    def _content(self, path: Path, status: os.stat_result | None) -> str:
        if status is None:
            return ""
        if not stat.S_ISREG(status.st_mode):
            return "other"
        return f"file {self._hash(path)}"

    def _hash(self, path: Path) -> str:
        summary = hashlib.sha256()
        fd = os.open(path, _OPEN_FLAGS)
        try:
            while chunk := os.read(fd, _CHUNK):
                self._bytes += len(chunk)
                if self._bytes > _MOST_BYTES:
                    raise TrustPinError(path, f"the files here hold more than {_MOST_BYTES >> 20} MiB")
                summary.update(chunk)
        finally:
            os.close(fd)
        return summary.hexdigest()

    def _name(self, path: Path) -> str:
        for base in self._bases:
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        return path.as_posix()


def _held(path: Path, status: os.stat_result, inside: _Identities) -> list[tuple[Path, _Identities]]:
    identity = (status.st_dev, status.st_ino)
    if identity in inside:
        return []  # a link back up: all of it is gathered already
    names = sorted(os.listdir(path))  # noqa: PTH208 -- names, to be sorted as they are
    return [(path / name, (*inside, identity)) for name in names]
