"""The options of a session, declared once for both passes over the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from pihost.cli._arguments import Arguments
from pihost.config import Mode
from pihost.model import THINKING_LEVELS

if TYPE_CHECKING:
    import click

    from pihost.extensions.registrations import RegisteredFlag

__all__ = ["Option", "flag_names", "flag_values", "known_names", "loading_options", "session_options"]

MODES: tuple[Mode, ...] = ("json", "rpc")


@attrs.frozen(kw_only=True, eq=False)
class Option:
    """An option of the command line. Click is imported only to show it: a session reads its options itself.

    Attributes:
        names: How it is written, the short form first.
        key: The name of its value.
        help: What it does.
        metavar: What it takes; ``None`` where it takes nothing.
        choices: The only values it takes; empty where any will do.
        multiple: Whether it may be given more than once, each time with a value that counts.
        takes_id: Whether the id of a session may follow it, or nothing.
        default: Its value where it is not given.
    """

    names: tuple[str, ...]
    key: str
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    multiple: bool = False
    takes_id: bool = False
    default: Any = None

    @property
    def takes_value(self) -> bool:
        """Whether a value follows it."""
        return self.metavar is not None or bool(self.choices)

    def for_click(self) -> click.Option:
        """The same for click's commands and its help."""
        import click

        has_default = isinstance(self.default, str)
        shown: dict[str, Any] = {"default": self.default, "show_default": True} if has_default else {}
        if self.takes_id:
            return click.Option([*self.names, self.key], metavar="[ID]", help=self.help)
        return click.Option(
            [*self.names, self.key],
            is_flag=not self.takes_value,
            metavar=self.metavar,
            type=click.Choice(self.choices) if self.choices else None,
            multiple=self.multiple,
            help=self.help,
            **shown,
        )


def _flag(*names: str, key: str, help: str) -> Option:  # noqa: A002 -- what the option's help is called
    return Option(names=names, key=key, help=help, default=False)


def loading_options() -> list[Option]:
    """The options that decide what loads. Subcommands that load take them too."""
    return [
        Option(
            names=("-e", "--extension"),
            key="extension_paths",
            metavar="PATH",
            multiple=True,
            default=(),
            help="Load this file or directory too; it needs no trust.",
        ),
        _flag(
            "-ne", "--no-extensions", key="no_extensions", help="Load no extensions but those given with -e."
        ),
        Option(
            names=("--disable",),
            key="disable",
            metavar="ID",
            multiple=True,
            default=(),
            help="Keep this extension out.",
        ),
        _flag("-a", "--approve", key="approve", help="Trust the project for this run."),
        _flag("-na", "--no-approve", key="no_approve", help="Do not trust the project for this run."),
    ]


def _conversation_options() -> list[Option]:
    """Which conversation it is, and what stands before it."""
    return [
        _flag("-c", "--continue", key="continue_", help="Go on with the newest session of this directory."),
        Option(
            names=("-r", "--resume"),
            key="resume",
            takes_id=True,
            help="Go on with the session of this id, or with one picked from a list.",
        ),
        Option(
            names=("--session",),
            key="session",
            metavar="FILE|ID",
            help="Go on with the session in this file, or of this id.",
        ),
        Option(
            names=("--fork",),
            key="fork",
            metavar="FILE|ID",
            help="Begin a session of its own with what was said in that one.",
        ),
        _flag("--no-session", key="no_session", help="Keep the session in memory only."),
        Option(names=("-n", "--name"), key="name", metavar="NAME", help="Name the session."),
        Option(
            names=("--system-prompt",),
            key="system_prompt",
            metavar="TEXT",
            help="Use this system prompt instead.",
        ),
        Option(
            names=("--append-system-prompt",),
            key="append_system_prompt",
            metavar="TEXT",
            multiple=True,
            default=(),
            help="Add this to the system prompt.",
        ),
    ]


def session_options() -> list[Option]:
    """Every option that the host itself gives a session."""
    return [
        _flag("-p", "--print", key="print_", help="Run the prompts, print the answers, end."),
        Option(
            names=("--mode",),
            key="mode",
            choices=("text", *MODES),
            default="text",
            help="Print the answer, or every event as a line of JSON, or serve a program on standard input.",
        ),
        Option(
            names=("-m", "--model"),
            key="model",
            metavar="MODEL",
            help="provider/id, or a part that fits only one.",
        ),
        Option(names=("--models",), key="models", metavar="A,B", help="The models to choose from."),
        Option(
            names=("--thinking",),
            key="thinking",
            choices=THINKING_LEVELS,
            help="How long the model may think.",
        ),
        *_conversation_options(),
        Option(names=("-t", "--tools"), key="tools", metavar="A,B", help="The active tools."),
        Option(
            names=("-xt", "--exclude-tools"),
            key="exclude_tools",
            metavar="A,B",
            help="Tools that are neither offered nor run.",
        ),
        _flag("-nt", "--no-tools", key="no_tools", help="No tools at all."),
        *loading_options(),
        _flag("--debug", key="debug", help="Show the traceback of a fault in the host."),
        _flag("-h", "--help", key="help", help="Show this and end."),
        _flag("-V", "--version", key="version", help="Show the version and end."),
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


def known_names(options: Iterable[Option]) -> dict[str, bool | None]:
    """Every name of the options, and whether it takes a value; ``None`` where it takes an id or nothing."""
    return {
        name: None if option.takes_id else option.takes_value for option in options for name in option.names
    }
