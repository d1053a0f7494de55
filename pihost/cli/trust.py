"""``pihost trust …``: see and make decisions on projects. Nothing of a project is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pihost.cli._group import Group
from pihost.cli._report import print_json
from pihost.cli._values import working_directory
from pihost.config import HostConfig
from pihost.display import escaped

if TYPE_CHECKING:
    from pihost.host import Startup
    from pihost.trust import ProjectTrustStore

__all__ = ["command"]

_WORDS = {True: "trusted", False: "not trusted", None: "no decision"}


@click.group("trust", cls=Group, help="Decide whether projects may run their own extensions.")
def command() -> None:
    """The group of the commands below."""


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_path_argument = click.argument("path", required=False, type=click.Path(path_type=Path))


def _store() -> ProjectTrustStore:
    from pihost.trust import ProjectTrustStore

    return ProjectTrustStore(HostConfig().resolve_home())


def _directory(path: Path | None) -> Path:
    directory = (path or working_directory()).expanduser().absolute()
    if not directory.is_dir():
        raise click.UsageError(f"{directory} is not a directory")
    return directory


def _survey(directory: Path) -> Startup:
    """What a start there would find with nobody to ask and no extension asked; nothing is run."""
    from pihost.config import HostOptions
    from pihost.extensions.event_loop import run_to_end
    from pihost.host import survey

    return run_to_end(survey(directory, config=HostConfig(), options=HostOptions(), load=False))


@command.command("status")
@_path_argument
@_json_option
def status(path: Path | None, *, as_json: bool) -> None:
    """Show the decision on a project, which step made it, and what is guarded there.

    JSON is one object: cwd, trusted, step (1 to 7), reason, guarded (a list of paths).
    """
    directory = _directory(path)
    decision = _survey(directory).trust
    if as_json:
        print_json(
            {
                "cwd": directory,
                "trusted": decision.trusted,
                "step": decision.step,
                "reason": decision.reason,
                "guarded": decision.guarded,
            }
        )
        return
    click.echo(escaped(f"{directory}: {_WORDS[decision.trusted]} (step {decision.step}: {decision.reason})"))
    for resource in decision.guarded:
        click.echo(escaped(f"  {resource}"))


@command.command("list")
@_json_option
def list_(*, as_json: bool) -> None:
    """List the decisions that are stored.

    JSON is a list of objects: path, decision, digest (of the exact files trusted, or null).
    """
    entries = _store().entries()
    if as_json:
        print_json(entries)
        return
    for entry in entries:
        pinned = ", these exact files" if entry.digest else ""
        click.echo(escaped(f"{entry.path}: {_WORDS[entry.decision]}{pinned}"))


@command.command("allow")
@_path_argument
@click.option("--pin", is_flag=True, help="Trust these exact files only.")
@_json_option
def allow(path: Path | None, *, pin: bool, as_json: bool) -> None:
    """Trust a project, this one by default: its own extensions load from now on.

    JSON is one object: path, decision (true), pinned (whether it is bound to these exact files).
    """
    directory = _directory(path)
    pinned = _survey(directory).project.allow(pin=pin)
    _tell_decision(directory, decision=True, pinned=pinned, as_json=as_json)


@command.command("deny")
@_path_argument
@_json_option
def deny(path: Path | None, *, as_json: bool) -> None:
    """Do not trust a project, this one by default, and do not ask again.

    JSON is one object: path, decision (false), pinned (false).
    """
    directory = _directory(path)
    _store().set_many({directory: False})
    _tell_decision(directory, decision=False, as_json=as_json)


@command.command("forget")
@_path_argument
@_json_option
def forget(path: Path | None, *, as_json: bool) -> None:
    """Take back the decision on a project, this one by default.

    JSON is one object: path, decision (null), pinned (false).
    """
    directory = (path or working_directory()).expanduser().absolute()
    _store().set_many({directory: None})
    _tell_decision(directory, decision=None, as_json=as_json)


def _tell_decision(directory: Path, *, decision: bool | None, pinned: bool = False, as_json: bool) -> None:
    if as_json:
        print_json({"path": directory, "decision": decision, "pinned": pinned})
    else:
        click.echo(escaped(f"{directory}: {_WORDS[decision]}{', these exact files' if pinned else ''}"))
