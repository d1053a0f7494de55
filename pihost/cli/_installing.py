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

__all__ = ["InstallError", "Installer", "changed", "find_installer", "installed_target", "removable"]

Found = Mapping[str, "Candidate"]
"""What is found now, by id."""


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
        """Install a requirement, or a directory or file. For these no index is asked unless it must be.

        Raises:
            InstallError: it could not be installed; what the program said has been printed.
        """
        if not os.path.exists(what):  # noqa: PTH110 -- what is no path at all must not raise
            self._must("install", what)
            return
        path = str(Path(what).absolute())
        offline = self._call("install", "--no-index", "--no-build-isolation", path, quiet=True)
        if offline:  # it needs what is not here, be it to build or to run
            self._must("install", path)

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
        output = subprocess.DEVNULL if quiet else sys.stderr.fileno()
        env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env)


def find_installer() -> Installer:
    """What changes the environment of this Python: uv where uv made it, else pip.

    Raises:
        InstallError: the environment belongs to the operating system, or nothing is there to change it with.
    """
    _refuse_managed()
    if _made_by_uv():
        uv = shutil.which("uv")
        if uv is None:
            raise InstallError("This environment was made by uv, and there is no uv on the path")
        return Installer(command=(uv, "pip"), name="uv pip", target=("--python", sys.executable))
    if subprocess.call([sys.executable, "-m", "pip", "--version"], stdout=-3, stderr=-3):
        hint = f"{sys.executable} -m ensurepip puts one there."
        raise InstallError("This environment has no pip", hint)
    return Installer(command=(sys.executable, "-m", "pip"), name="pip", yes=("--yes",))


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
    """What is to be installed, made sure to be no option of the program that installs.

    Raises:
        InstallError: it is neither a path that exists, nor a requirement, nor an address.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    if os.path.exists(what) or "://" in what:  # noqa: PTH110 -- what is no path at all must not raise
        return what if not what.startswith("-") else f"./{what}"
    try:
        return str(Requirement(what))
    except InvalidRequirement as fault:
        hint = "Give a directory, a file, or a requirement such as acme-words or acme-words>=1."
        raise InstallError(f"{what!r} is neither there nor a requirement", hint) from fault


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
    """What has come or is of another version now, and what has gone.

    Args:
        before: What was found before.
        look: Finds what is there now.
    """
    now = look()
    come = [one for name, one in now.items() if name not in before or before[name].version != one.version]
    gone = [one for name, one in before.items() if name not in now]
    return come, gone


def _names(candidate: Candidate) -> set[str]:
    return {normalize_name(candidate.id), normalize_name(candidate.distribution or "")}
