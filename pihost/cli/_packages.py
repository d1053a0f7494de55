"""``pihost extensions new``, ``install`` and ``remove``: distributions from the first file to the last."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pihost.cli._report import say
from pihost.cli._values import working_directory
from pihost.config import HostConfig

if TYPE_CHECKING:
    from pihost.cli._installing import Present
    from pihost.extensions.candidate import Candidate

__all__ = ["install", "new", "remove"]


def new(name: str, *, shape: str | None, file: bool, directory: Path | None) -> int:
    """Write a new extension called NAME: a distribution with tests that pass, ready to be installed.

    With --file it is one file instead, in your own extensions folder, where it is found at once.
    """
    from pihost.cli.scaffold import SHAPES, NewExtension, write_distribution, write_file

    extension = NewExtension.named(name, SHAPES[shape or "hook"])
    if file:
        folder = HostConfig().resolve_home() / "extensions"
        click.echo(f"Wrote {write_file(extension, directory or folder)}")
        return 0
    where = write_distribution(extension, directory or working_directory())
    click.echo(f"Wrote {where}. Go on with:")
    click.echo(f"  pihost extensions install {where}")
    click.echo(f"  python -m pip install -e '{where}[test]' && cd {where} && pytest")
    return 0


def install(what: str) -> int:
    """Install WHAT beside pihost: ./directory, a file or a requirement. Says what appeared."""
    from pihost.cli._installing import changed, find_installer, installed_target, named_by

    target = installed_target(what)
    installer = find_installer()
    before = _installed()
    installer.install(target)
    come, _gone = changed(before, _installed)
    for one in come:
        was = before[one.id].candidate.version if one.id in before else None
        note = "" if was is None else " (installed anew)" if was == one.version else f" (was {was})"
        click.echo(f"{one.id} is there now, from {one.distribution} {one.version}{note}")
    there = [one.candidate for one in before.values() if named_by(target, one.candidate)]
    for one in there if not come else ():
        click.echo(f"{one.id} is there already, from {one.distribution} {one.version}")
    if not come and not there:
        say("warning", "no extension has appeared or changed")
        say("hint", "A distribution has one if it declares an entry point in the group pihost.extensions.")
    return 0


def remove(extension: str) -> int:
    """Remove the distribution that EXTENSION, an id or a distribution's name, was installed with."""
    from pihost.cli._installing import changed, find_installer, removable

    before = _installed()
    chosen = removable(extension, _everything())
    installer = find_installer()
    installer.remove(str(chosen[0].distribution))
    _come, gone = changed(before, _installed)
    for one in gone:
        click.echo(f"{one.id} is gone, with {one.distribution} {one.version}")
    if not gone:
        say("warning", f"{extension} is still there: it may be installed in more than one place")
        return 1
    return 0


def _everything() -> tuple[Candidate, ...]:
    from pihost.extensions.discovery import discover
    from pihost.settings import Settings

    config = HostConfig()
    found = discover(working_directory(), config=config, home=config.resolve_home(), settings=Settings())
    return found.candidates


def _installed() -> dict[str, Present]:
    """What distributions bring, by id."""
    from pihost.cli._installing import Present

    return {one.id: Present.of(one) for one in _everything() if one.distribution is not None}
