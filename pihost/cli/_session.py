"""``pihost [options] [@file …] [prompt …]``: a session in print, json or interactive mode."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pihost.cli._arguments import Arguments, UsageError, split
from pihost.cli._options import extension_options, known_names, session_options
from pihost.cli._values import host_options, parse
from pihost.config import HostConfig

if TYPE_CHECKING:
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["run_session"]

Presentation = Literal["print", "json", "interactive"]


def run_session(words: Sequence[str]) -> int:
    """Run a session as the command line asks for.

    Args:
        words: The command line, without the program's name.

    Returns:
        The exit code.

    Raises:
        UsageError: the command line cannot be understood.
    """
    declared = session_options()
    arguments = split(words, known_names(declared))
    if arguments.has("-h", "--help"):
        from pihost.cli._help import print_help

        return print_help(declared, arguments)
    if arguments.has("--version"):
        from pihost._version import __version__

        print(f"pihost {__version__}")  # noqa: T201 -- the answer
        return 0
    values = parse(declared, arguments)
    presentation = _presentation(values)
    if presentation == "interactive":
        _require_terminal_extra()
    from pihost.cli._running import run_until_done

    return run_until_done(partial(_run, words, values, presentation))


def _presentation(values: Mapping[str, Any]) -> Presentation:
    if values["mode"] == "json":
        return "json"
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return "interactive" if at_terminal and not values["print_"] else "print"


def _require_terminal_extra() -> None:
    from importlib.util import find_spec

    if find_spec("prompt_toolkit") is None or find_spec("rich") is None:
        raise UsageError(
            "the interactive mode needs packages that are not installed",
            'Install them with: pip install "pihost[tui]", or run one prompt with: pihost -p "…"',
        )


async def _run(words: Sequence[str], values: Mapping[str, Any], presentation: Presentation) -> int:
    from pihost.cli._report import report_all
    from pihost.host import Host, StartRefusedError

    options = host_options(values, presentation)
    ui = _terminal_ui() if presentation == "interactive" else None
    rest: list[Arguments] = []

    def before_start(host: Host) -> None:
        report_all(host.diagnostics)
        host.refuse_errors()
        rest.append(_second_pass(words, host))

    try:
        async with Host.open(
            Path.cwd(), config=HostConfig(), options=options, ui=ui, before_start=before_start
        ) as host:
            return await _present(host, rest[0], presentation)
    except StartRefusedError:
        return 1


def _second_pass(words: Sequence[str], host: Host) -> Arguments:
    """Read the command line again, now that the extensions' flags are known, and strictly."""
    declared = session_options()
    flags = extension_options(host.runner.flags())
    known = {**known_names(declared), **known_names(flags)}
    arguments = split(words, known)
    arguments.refuse_unknown(known)
    values = parse(flags, arguments)
    host.runner.set_flag_values(
        {name.removeprefix("flag_"): value for name, value in values.items() if value is not None}
    )
    return arguments


async def _present(host: Host, arguments: Arguments, presentation: Presentation) -> int:
    if presentation == "interactive":
        from pihost.modes.interactive import run_interactive

        return await run_interactive(host, _prompts(host, arguments, piped=None))
    from pihost.modes.prompts import read_standard_input

    piped = read_standard_input(patient=not arguments.prompts)
    prompts = _prompts(host, arguments, piped)
    if not prompts:
        raise UsageError("there is nothing to do", 'Give a prompt: pihost -p "read README.md"')
    if presentation == "json":
        from pihost.modes.json_mode import run_json

        return await run_json(host, prompts, out=sys.stdout.buffer)
    from pihost.cli._report import say
    from pihost.modes.print_mode import run_print

    return await run_print(host, prompts, out=sys.stdout, say=say)


def _prompts(host: Host, arguments: Arguments, piped: str | None) -> tuple[Prompt, ...]:
    from pihost.modes.prompts import gather_prompts

    return gather_prompts(arguments.prompts, arguments.files, piped, host.cwd)


def _terminal_ui() -> Any:
    from pihost.modes.terminal_ui import TerminalUI

    return TerminalUI()
