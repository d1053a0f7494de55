"""The options of a session, declared once for both passes over the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from pihost.config import Mode
from pihost.model import THINKING_LEVELS

__all__ = ["extension_options", "known_names", "loading_options", "session_options"]

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
        click.Option(["--version"], is_flag=True, help="Show the version and end."),
    ]


def extension_options(flags: Mapping[str, object]) -> list[click.Option]:
    """An option for every flag that an extension registered, by flag name."""
    options = []
    for name, flag in flags.items():
        boolean = getattr(flag, "type", None) == "boolean"
        description = getattr(flag, "description", "")
        options.append(
            click.Option([f"--{name}", f"flag_{name}"], is_flag=boolean, default=None, help=description)
        )
    return options


def known_names(options: Iterable[click.Option]) -> dict[str, bool]:
    """Every name of the options, and whether it takes a value."""
    return {name: not option.is_flag for option in options for name in option.opts}
