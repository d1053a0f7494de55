"""Writing a new extension: all of its files, or none."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

import attrs

from pihost._version import __version__
from pihost.cli.scaffold.shapes import Shape
from pihost.errors import PihostError
from pihost.paths import normalize_name

__all__ = ["NewExtension", "ScaffoldError", "write_distribution", "write_file"]

_NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

_TAKEN = frozenset({*sys.stdlib_module_names, "pihost", "tests"})


class ScaffoldError(PihostError):
    """A new extension cannot be written; the text says why and what would be right.

    Attributes:
        fault: What is wrong.
    """

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault

    def __str__(self) -> str:
        return self.fault


@attrs.frozen(kw_only=True)
class NewExtension:
    """What is to be written.

    Attributes:
        name: Name of the distribution, as users install it.
        shape: What it does.
        group: The entry-point group that the host looks in.
    """

    name: str
    shape: Shape
    group: str = "pihost.extensions"

    @classmethod
    def named(cls, name: str, shape: Shape) -> NewExtension:
        """An extension of that name, which must serve as a distribution's and, with ``_``, as a package's.

        Raises:
            ScaffoldError: it cannot be one of these, or is taken by the standard library.
        """
        new = cls(name=normalize_name(name), shape=shape)
        if not _NAME.fullmatch(name):
            fault = "must begin with a letter and hold letters, digits, hyphens, dots and underscores"
            raise ScaffoldError(f"{name!r} is no name for a distribution: it {fault}")
        if keyword.iskeyword(new.package) or new.package in _TAKEN:
            fault = f"it would be imported as {new.package}, which is something else to Python"
            raise ScaffoldError(f"{name!r} is no name for an extension: {fault}")
        return new

    @property
    def package(self) -> str:
        """Name of the package, as it is imported."""
        return self.name.replace("-", "_")

    def text(self, template: str) -> str:
        """A template with everything filled in.

        Args:
            template: Its path from the directory of templates.
        """
        source = files(__package__).joinpath("templates", f"{template}.in").read_text(encoding="utf-8")
        names = {
            "name": self.name,
            "package": self.package,
            "group": self.group,
            "summary": self.shape.summary,
            "host_version": ".".join(__version__.split(".")[:2]),
        }
        return Template(source).substitute(names, usage=Template(self.shape.usage).substitute(names))


def write_distribution(new: NewExtension, parent: Path) -> Path:
    """Write a distribution with its tests into a directory of its name.

    Args:
        new: What to write.
        parent: Where to make the directory.

    Returns:
        The directory.

    Raises:
        ScaffoldError: something is there already, or it cannot be written.
    """
    target = parent / new.name
    shape = new.shape.name
    texts = {
        "pyproject.toml": new.text("common/pyproject.toml"),
        "README.md": new.text("common/README.md"),
        f"src/{new.package}/__init__.py": new.text(f"{shape}/module.py"),
        f"src/{new.package}/py.typed": "",
        f"tests/test_{new.package}.py": new.text(f"{shape}/test_module.py"),
    }
    _refuse_existing(target)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that it appears there as a whole or not at all.
        with tempfile.TemporaryDirectory(prefix=f".{new.name}-", dir=parent) as folder:
            made = Path(folder) / new.name
            for path, text in texts.items():
                file = made / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            shutil.move(made, target)
    except OSError as fault:
        raise ScaffoldError(f"{target} cannot be written: {fault.strerror or fault}") from fault
    return target


def write_file(new: NewExtension, directory: Path) -> Path:
    """Write an extension of one file.

    Args:
        new: What to write.
        directory: Where to; made where it is missing.

    Returns:
        The file.

    Raises:
        ScaffoldError: something is there already, or it cannot be written.
    """
    target = directory / f"{new.package}.py"
    _refuse_existing(target)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        text = new.text(f"{new.shape.name}/module.py")
        # Beside the target, under a name that is no extension's, so that it appears as a whole or not at all.
        with tempfile.TemporaryDirectory(prefix=f".{new.package}-", dir=directory) as folder:
            made = Path(folder) / target.name
            made.write_text(text, encoding="utf-8")
            made.rename(target)
    except OSError as fault:
        raise ScaffoldError(f"{target} cannot be written: {fault.strerror or fault}") from fault
    return target


def _refuse_existing(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise ScaffoldError(f"{target} is there already; choose another name or another directory")
