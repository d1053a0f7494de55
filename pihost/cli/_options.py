"""The options of a session, declared once for both passes over the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from pihost.cli._arguments import Arguments
from pihost.config import Mode
from pihost.model import THINKING_LEVELS

if TYPE_CHECKING:
    from pihost.extensions.registrations import RegisteredFlag

__all__ = ["flag_names", "flag_values", "known_names", "loading_options", "session_options"]

MODES: tuple[Mode, ...] = ("json",)


def loading_options() -> list[click.Option]:
    """The options that decide what loads. Subcommands that load take them too."""
    return [
        click.Option(
            ["-e", "--extension", "extension_paths"],
            multiple=True,
            metavar="PATH",
            help="Load this file or directory too; it needs no trust.",
        ),
        click.Option(
            ["-ne", "--no-extensions"], is_flag=True, help="Load no extensions but those given with -e."
        ),
        click.Option(["--disable"], multiple=True, metavar="ID", help="Keep this extension out."),
        click.Option(["-a", "--approve"], is_flag=True, help="Trust the project for this run."),
        click.Option(["-na", "--no-approve"], is_flag=True, help="Do not trust the project for this run."),
    ]


def session_options() -> list[click.Option]:
    """Every option that the host itself gives a session."""
    return [
        click.Option(
            ["-p", "--print", "print_"],
            is_flag=True,
            help="Run the prompts, print the answers, end.",
        ),
        click.Option(
            ["--mode"],
            type=click.Choice(["text", *MODES]),
            default="text",
            show_default=True,
            help="How to print: the answer, or every event as a line of JSON.",
        ),
        click.Option(["-m", "--model"], metavar="MODEL", help="provider/id, or a part that fits only one."),
        click.Option(
            ["--thinking"], type=click.Choice(THINKING_LEVELS), help="How long the model may think."
        ),
        click.Option(
            ["-c", "--continue", "continue_"],
            is_flag=True,
            help="Go on with the newest session of this directory.",
        ),
        click.Option(["--session"], metavar="FILE", help="Go on with the session in this file."),
        click.Option(["--no-session"], is_flag=True, help="Keep the session in memory only."),
        click.Option(["-n", "--name"], metavar="NAME", help="Name the session."),
        click.Option(["--system-prompt"], metavar="TEXT", help="Use this system prompt instead."),
        click.Option(
            ["--append-system-prompt"], multiple=True, metavar="TEXT", help="Add this to the system prompt."
        ),
        click.Option(["-t", "--tools"], metavar="A,B", help="The active tools."),
        click.Option(
            ["-xt", "--exclude-tools"], metavar="A,B", help="Tools that are neither offered nor run."
        ),
        click.Option(["-nt", "--no-tools"], is_flag=True, help="No tools at all."),
        *loading_options(),
        click.Option(["--debug"], is_flag=True, help="Show the traceback of a fault in the host."),
        click.Option(["-h", "--help"], is_flag=True, help="Show this and end."),
        click.Option(["-V", "--version"], is_flag=True, help="Show the version and end."),
    ]


def flag_names(flags: Mapping[str, RegisteredFlag]) -> dict[str, bool]:
    """The option of every flag that an extension registered, and whether it takes a value.

    Args:
        flags: By flag name.
    """
    return {f"--{name}": flag.type == "string" for name, flag in flags.items()}


def flag_values(flags: Mapping[str, RegisteredFlag], arguments: Arguments) -> dict[str, bool | str]:
    """What a command line says of the flags, by flag name; a flag that is given twice has its last value."""
    given: dict[str, bool | str] = {}
    for option, takes_value in flag_names(flags).items():
        if arguments.has(option):
            given[option.removeprefix("--")] = arguments.values(option)[-1] if takes_value else True
    return given


def known_names(options: Iterable[click.Option]) -> dict[str, bool]:
    """Every name of the options, and whether it takes a value."""
    return {name: not option.is_flag for option in options for name in option.opts}
