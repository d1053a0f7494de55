"""The edge: finds and runs what the command line asks for; faults become messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from pihost.cli._arguments import UsageError
from pihost.cli._collecting import collect_from_now_on
from pihost.cli._commands import find_command
from pihost.cli._leaving import LeftRunning, leave
from pihost.cli._report import say
from pihost.cli._stdout import end_output
from pihost.errors import PihostError

if TYPE_CHECKING:
    import click

__all__ = ["run", "run_as_program"]


def run_as_program(arguments: Sequence[str]) -> int:
    """The same as ``run``, for a process that ends with it: nothing can be added to the answer afterwards.

    Args:
        arguments: The command line, without the program's name.

    Returns:
        The exit code.
    """
    try:
        code = run(arguments)
    except LeftRunning as left:
        say("warning", f"given up, since it does not end: {', '.join(left.names)}")
        leave(left.code)
    try:
        end_output()
    except BrokenPipeError:
        _discard_output()
    return code


def run(arguments: Sequence[str]) -> int:
    """Do what the command line asks for.

    Args:
        arguments: The command line, without the program's name.

    Returns:
        The exit code.
    """
    _prepare_streams()
    try:
        return _run(arguments)
    except UsageError as fault:
        _say_fault(fault)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_output()
        return 0
    except (PihostError, OSError) as fault:
        if "--debug" in arguments:
            raise
        _say_fault(fault)
        return 1


def _say_fault(fault: Exception) -> None:
    say("error", str(fault) or type(fault).__name__)
    hint = getattr(fault, "hint", None)
    if hint:
        say("hint", hint)


def _run(arguments: Sequence[str]) -> int:
    command = find_command(arguments[0]) if arguments else None
    if command is not None:
        return _run_command(command, arguments[0], arguments[1:])
    from pihost.cli._session import run_session

    return run_session(arguments)


def _run_command(command: click.Command, name: str, arguments: Sequence[str]) -> int:
    import click

    collect_from_now_on()
    try:
        with command.make_context(f"pihost {name}", list(arguments)) as context:
            code = command.invoke(context)
    except click.exceptions.NoArgsIsHelpError as fault:
        click.echo(fault.format_message(), err=True)
        return 2
    except click.UsageError as fault:
        raise UsageError(fault.format_message(), f"See pihost {name} --help.") from fault
    except click.ClickException as fault:
        say("error", fault.format_message())
        return fault.exit_code
    except click.exceptions.Exit as fault:
        return fault.exit_code
    except click.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    """Make sure that there are standard streams, and that no character keeps an answer from being printed.

    A descriptor of a standard stream that was closed would be given to the next file that is opened.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004 -- stderr
        pass
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 -- as long as the process
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 -- the same
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Let the interpreter's last flush go nowhere instead of complaining of the closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
