"""Installing and removing distributions in the environment that pihost runs in, and seeing what changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.errors import PihostError
from pihost.near import near_hint
from pihost.paths import normalize_name

if TYPE_CHECKING:
    from pihost.extensions.candidate import Candidate

__all__ = [
    "InstallError",
    "Installer",
    "Present",
    "changed",
    "find_installer",
    "installed_target",
    "named_by",
    "removable",
]


@attrs.frozen(kw_only=True)
class Present:
    """An extension that a distribution brings.

    Attributes:
        candidate: The extension.
        written: When and as which file the distribution's metadata was written; ``None`` where that is
            not known. It tells an installation from one before it.
    """

    candidate: Candidate
    written: tuple[int, int] | None

    @classmethod
    def of(cls, candidate: Candidate) -> Present:
        """The extension as it is installed now."""
        return cls(candidate=candidate, written=_written(str(candidate.distribution)))


Found = Mapping[str, Present]
"""What distributions bring now, by id."""


class InstallError(PihostError):
    """Nothing was installed or removed.

    Attributes:
        fault: Why.
        hint: What to do about it.
    """

    def __init__(self, fault: str, hint: str | None = None) -> None:
        super().__init__(fault, hint)
        self.fault = fault
        self.hint = hint

    def __str__(self) -> str:
        return self.fault


@attrs.frozen(kw_only=True)
class Installer:
    """How this environment is changed.

    Attributes:
        command: The program that does it.
        name: What it is called.
        target: Its options that name the environment.
        yes: Its options of ``uninstall`` that keep it from asking.
    """

    command: tuple[str, ...]
    name: str
    target: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()

    def install(self, what: str) -> None:
        """Install something. For a directory or file no index is asked unless it must be.

        Args:
            what: A requirement, an address, or an absolute path.

        Raises:
            InstallError: it could not be installed; what the program said has been printed.
        """
        offline = ("--no-index", "--no-build-isolation")
        if os.path.isabs(what) and self._call("install", *offline, what, quiet=True) == 0:  # noqa: PTH117 -- it may be no path
            return
        self._must("install", what)  # it needs what is not here, be it to build or to run

    def remove(self, distribution: str) -> None:
        """Remove a distribution.

        Raises:
            InstallError: it could not be removed; what the program said has been printed.
        """
        self._must("uninstall", *self.yes, distribution)

    def _must(self, action: str, *arguments: str) -> None:
        code = self._call(action, *arguments)
        if code:
            raise InstallError(f"{self.name} {action} ended with code {code}; nothing has changed")

    def _call(self, action: str, *arguments: str, quiet: bool = False) -> int:
        """Run the program; its output goes to stderr, since stdout is for what has come of it."""
        command = [*self.command, action, *self.target, *arguments]
        return _run(command, output=subprocess.DEVNULL if quiet else sys.stderr.fileno())


def find_installer() -> Installer:
    """What changes the environment of this Python: uv where uv made it, else pip.

    Raises:
        InstallError: the environment belongs to the operating system, or nothing is there to change it with.
    """
    _refuse_managed()
    if _made_by_uv():
        uv = shutil.which("uv")
        if uv is None:
            hint = f"Put uv on the path, or run: uv pip install --python {sys.executable} NAME"
            raise InstallError("This environment was made by uv, and there is no uv on the path", hint)
        return Installer(command=(uv, "pip"), name="uv pip", target=("--python", sys.executable))
    if _run([sys.executable, "-m", "pip", "--version"], output=subprocess.DEVNULL):
        hint = f"{sys.executable} -m ensurepip puts one there."
        raise InstallError("This environment has no pip", hint)
    return Installer(command=(sys.executable, "-m", "pip"), name="pip", yes=("--yes",))


def _run(command: Sequence[str], *, output: int) -> int:
    """Run a program that changes the environment, and give its exit code.

    It does not stand in the user's directory: a project must not give it modules to import, or settings.
    """
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    return subprocess.call(
        command, cwd=sys.prefix, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env
    )


def _refuse_managed() -> None:
    """The operating system's own Python is not to be changed: its packages are the system's."""
    if sys.prefix != sys.base_prefix:
        return
    if Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists():
        hint = "Install pihost into an environment of its own, such as with pipx install pihost."
        raise InstallError("This Python belongs to the operating system and is not changed", hint)


def _made_by_uv() -> bool:
    try:
        lines = Path(sys.prefix, "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)


def installed_target(what: str) -> str:
    """What is to be installed: an address, an absolute path, or a requirement.

    As for pip, a bare name is a requirement even where a directory has that name: a project must not put
    its own in the place of what is meant.

    Raises:
        InstallError: it is neither a path that exists, nor a requirement, nor an address.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    if "://" in what:
        return what
    if _is_path(what):
        return str(Path(what).absolute())
    try:
        return str(Requirement(what))
    except InvalidRequirement as fault:
        hint = "Give a directory, a file, or a requirement such as acme-words or acme-words>=1."
        raise InstallError(f"{what!r} is neither there nor a requirement", hint) from fault


def _is_path(what: str) -> bool:
    """Whether something is there, and ``what`` is written as a path or names an archive."""
    if not os.path.exists(what):  # noqa: PTH110 -- what is no path at all must not raise
        return False
    return os.sep in what or what.startswith(".") or what.endswith((".whl", ".tar.gz", ".zip"))


def named_by(requirement: str, candidate: Candidate) -> bool:
    """Whether a requirement is for the distribution of an extension; a path or an address is for none."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        wanted = Requirement(requirement).name
    except InvalidRequirement:
        return False
    return normalize_name(wanted) == normalize_name(str(candidate.distribution))


def removable(extension: str, found: Iterable[Candidate]) -> Sequence[Candidate]:
    """Every extension of the distribution that an id, or its own name, stands for.

    Raises:
        InstallError: it is none that was installed.
    """
    every = list(found)
    wanted = normalize_name(extension)
    chosen = [one for one in every if wanted in _names(one)]
    if not chosen:
        names = [one.id for one in every if one.distribution]
        raise InstallError(f"There is no extension {extension!r}", near_hint(extension, names))
    distribution = chosen[0].distribution
    if distribution is None:
        path = chosen[0].path
        raise InstallError(f"{extension} was not installed: it is {path}", "Delete it, or disable it.")
    if normalize_name(distribution) == "pihost":
        raise InstallError("pihost does not remove itself")
    return [one for one in every if one.distribution == distribution]


def changed(before: Found, look: Callable[[], Found]) -> tuple[list[Candidate], list[Candidate]]:
    """What has come or was installed anew, and what has gone.

    Args:
        before: What was found before.
        look: Finds what is there now.
    """
    now = look()
    come = [one.candidate for name, one in now.items() if before.get(name) != one]
    gone = [one.candidate for name, one in before.items() if name not in now]
    return come, gone


def _written(distribution: str) -> tuple[int, int] | None:
    from importlib.metadata import PackageNotFoundError, files

    try:
        metadata = [file for file in files(distribution) or () if file.name in ("METADATA", "PKG-INFO")]
        stat = metadata[0].locate().stat()  # type: ignore[attr-defined]  # a path, by its documentation
    except (PackageNotFoundError, IndexError, OSError):
        return None
    return stat.st_ino, stat.st_mtime_ns


def _names(candidate: Candidate) -> set[str]:
    return {normalize_name(candidate.id), normalize_name(candidate.distribution or "")}
