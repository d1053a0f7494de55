"""What was decided on each project: one small file in the user's global directory."""

from __future__ import annotations

import contextlib
import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost.paths import canonical, make_private_dir
from pihost.trust._store_errors import TrustStoreError
from pihost.trust._store_lock import store_lock
from pihost.trust._store_text import Decision, StoreTextError, format_store, parse_store
from pihost.trust.private_file import replace_private_file

if TYPE_CHECKING:
    from pihost.trust.digest import TrustPin

__all__ = ["ProjectTrustStore", "TrustEntry", "TrustStoreError"]

FILE_NAME = "trust.json"
"""Name of the file in the user's global directory."""

_PINS = "trust-pins"
"""Directory of the lists that digests stand for, each named after its own SHA-256."""

_Decisions = Mapping[str, Decision | None]

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustEntry(Value):
    """A stored decision.

    Attributes:
        path: The directory it was made for; it covers what lies below as well.
        decision: Whether that is trusted.
        digest: If it is bound to the files approved, what stands for them: ``sha256:<hex>``. It then counts
            only while they are the same, which `resolve_project_trusted` checks.
    """

    path: Path
    decision: bool
    digest: str | None = None


class ProjectTrustStore:
    """The decisions in ``<home>/trust.json``. Synchronous; nothing is kept between calls.

    Reading takes no lock, since the file is only ever replaced as a whole. A file that is not what it should
    be is left as it is: nothing in it counts and nothing is written over it.

    Attributes:
        file: The file; it need not exist.
    """

    def __init__(self, home: str | os.PathLike[str], *, patience: float = 4.0) -> None:
        """Read and write below ``home``.

        Args:
            home: The user's global directory; it is made when something is stored.
            patience: Seconds that a write waits for one other process that keeps the store locked.
        """
        self._home = Path(home)
        self._patience = patience
        self.file = self._home / FILE_NAME

    def get(self, cwd: str | os.PathLike[str]) -> bool | None:
        """The decision stored for a directory or its nearest ancestor that has one; ``None`` if none has.

        It says what was decided, not whether files that the decision is bound to are still the same.

        Raises:
            TrustStoreError: the file is not what it should be.
        """
        entry = self.get_entry(cwd)
        return None if entry is None else entry.decision

    def get_entry(self, cwd: str | os.PathLike[str]) -> TrustEntry | None:
        """The entry of a directory or of its nearest ancestor that has one; ``None`` if none has.

        Raises:
            TrustStoreError: the file is not what it should be.
        """
        decisions = self._read()
        names = _Names(decisions)
        folder = canonical(Path(cwd))
        for path in (folder, *folder.parents):
            name = names.of(path)
            decision = decisions.get(name)
            if decision is not None:
                return _entry(name, decision)
        return None

    def entries(self) -> tuple[TrustEntry, ...]:
        """Every decision, by path.

        Raises:
            TrustStoreError: the file is not what it should be.
        """
        decisions = sorted(self._read().items())
        return tuple(_entry(name, decision) for name, decision in decisions if decision is not None)

    def set(self, cwd: str | os.PathLike[str], decision: bool | None, *, pin: TrustPin | None = None) -> None:  # noqa: FBT001 -- the decision is what is set
        """Store one decision. See `set_many`."""
        self.set_many({Path(cwd): decision}, pin=pin)

    def set_many(self, decisions: Mapping[Path, bool | None], *, pin: TrustPin | None = None) -> None:
        """Store decisions by directory, all or none; ``None`` removes one. Links are followed first.

        Args:
            decisions: What was decided.
            pin: The files that every approval among them is bound to.

        Raises:
            TrustStoreError: the store cannot be written, another process keeps it locked, or the file there
                is not what it should be; it is then as it was.
            TypeError: a decision is neither a bool nor ``None``.
        """
        changes = {canonical(Path(path)): _checked(decision, pin) for path, decision in decisions.items()}
        with self._writing():
            before = self._read()
            after, names = dict(before), _Names(before)
            for path, decision in changes.items():
                name = names.of(path)
                after.pop(name, None)
                if decision is not None:
                    after[name] = decision
            self._write(before, after, pin)

    def pin_of(self, entry: TrustEntry) -> TrustPin | None:
        """The files that an entry is bound to; ``None`` if it is bound to none or their list is lost."""
        if entry.digest is None:
            return None
        try:
            data = self._pin_file(entry.digest).read_bytes()
        except OSError:
            return None  # the digest alone still tells whether anything changed
        from pihost.trust.digest import TrustPin

        return TrustPin.from_bytes(data, entry.digest)

    def _read(self) -> dict[str, Decision | None]:
        try:
            return parse_store(_read_regular(self.file))
        except (FileNotFoundError, NotADirectoryError):
            if self.file.is_symlink():
                raise TrustStoreError(self.file, "it is a link that leads nowhere") from None
            return {}
        except StoreTextError as fault:
            raise TrustStoreError(self.file, str(fault)) from fault
        except OSError as fault:
            raise TrustStoreError(self.file, f"it cannot be read: {fault.strerror or fault}") from fault

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Make the directory, hold the lock, and say of every failure that it is the store's."""
        try:
            make_private_dir(self._home)
            with store_lock(self.file.with_name(f"{FILE_NAME}.lock"), patience=self._patience):
                yield
        except OSError as fault:
            raise TrustStoreError(self.file, f"it cannot be written: {fault.strerror or fault}") from fault

    def _write(self, before: _Decisions, after: _Decisions, pin: TrustPin | None) -> None:
        if pin is not None and pin.digest in _digests(after):
            make_private_dir(self._home / _PINS)
            replace_private_file(self._pin_file(pin.digest), pin.to_bytes())
        replace_private_file(self.file, format_store(after))
        for digest in _digests(before) - _digests(after):
            with contextlib.suppress(OSError):  # a list that no entry names any more grants nothing
                self._pin_file(digest).unlink()

    def _pin_file(self, digest: str) -> Path:
        _algorithm, _colon, name = digest.partition(":")
        return self._home / _PINS / f"{name}.json"


def _checked(decision: object, pin: TrustPin | None) -> Decision | None:
    """Whatever is true in a condition, such as the word "no", must not become an approval."""
    if decision is None:
        return None
    if not isinstance(decision, bool):
        raise TypeError(f"a decision is True, False or None, not {decision!r}")
    return Decision(trusted=decision, digest=pin.digest if pin is not None and decision else None)


def _entry(name: str, decision: Decision) -> TrustEntry:
    return TrustEntry(path=Path(name), decision=decision.trusted, digest=decision.digest)


def _digests(decisions: _Decisions) -> set[str]:
    return {one.digest for one in decisions.values() if one is not None and one.digest is not None}


class _Names:
    """The names under which directories are stored.

    Where a file system ignores case or the form of accents, a refusal must count however its path is spelt.
    """

    def __init__(self, decisions: _Decisions) -> None:
        self._stored = decisions
        self._alike: dict[str, list[str]] = {}
        for name in decisions:
            self._alike.setdefault(_folded(name), []).append(name)

    def of(self, path: Path) -> str:
        """The name under which ``path`` is stored, else the one it would get."""
        exact = str(path)
        if exact in self._stored:
            return exact
        alike = self._alike.get(_folded(exact), ())
        return next((name for name in alike if _is_same(name, exact)), exact)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _is_same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False  # one of them is not there, so they are not the same


def _read_regular(file: Path) -> bytes:
    """A pipe in its place would keep the reader waiting for ever."""
    fd = os.open(file, _READ_FLAGS)
    with os.fdopen(fd, "rb") as opened:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError("it is not a regular file")
        return opened.read()
