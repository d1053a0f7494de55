"""The commands there are, the host's and those of distributions, imported only when one is named."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import click

__all__ = ["COMMANDS", "find_command"]

COMMANDS = {
    "extensions": ("pihost.cli.extensions", "See, switch, write and install extensions."),
    "hooks": ("pihost.cli.hooks", "What extensions can answer, and how."),
    "models": ("pihost.cli.models", "The models there are."),
    "sessions": ("pihost.cli.sessions", "See and export stored sessions."),
    "tool": ("pihost.cli.tool", "Run one tool, hooks included."),
    "trust": ("pihost.cli.trust", "Decide whether projects may run their own extensions."),
}
"""Each of the host's commands: its module and what it does."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


def find_command(word: str) -> click.Command | None:
    """The command that the first word of a command line names; ``None`` where it is no command.

    Raises:
        UsageError: it names a command of a distribution that may not be run, or cannot.
    """
    if word in COMMANDS:
        return cast("click.Command", import_module(COMMANDS[word][0]).command)
    if not _NAME.fullmatch(word):
        return None
    from pihost.cli._distribution_commands import distribution_commands

    found = distribution_commands().get(word)
    return None if found is None else found.load()
