"""The edge: finds and runs what the command line asks for; faults become messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from pihost.cli._arguments import UsageError
from pihost.cli._commands import COMMANDS
from pihost.cli._report import say
from pihost.errors import PihostError

__all__ = ["run"]


def run(arguments: Sequence[str]) -> int:
    """Do what the command line asks for.

    Args:
        arguments: The command line, without the program's name.

    Returns:
        The exit code.
    """
    try:
        return _run(arguments)
    except UsageError as fault:
        say("error", str(fault))
        if fault.hint:
            say("hint", fault.hint)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_stdout()
        return 0
    except (PihostError, OSError) as fault:
        if "--debug" in arguments:
            raise
        say("error", str(fault) or type(fault).__name__)
        return 1


def _run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return _run_command(arguments[0], arguments[1:])
    from pihost.cli._session import run_session

    return run_session(arguments)


def _run_command(name: str, arguments: Sequence[str]) -> int:
    from importlib import import_module

    import click

    command = import_module(COMMANDS[name][0]).command
    try:
        code = command.main(list(arguments), prog_name=f"pihost {name}", standalone_mode=False)
    except click.UsageError as fault:
        raise UsageError(fault.format_message(), f"See pihost {name} --help.") from fault
    except click.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _discard_stdout() -> None:
    """Let the interpreter's last flush go nowhere instead of complaining of the closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
