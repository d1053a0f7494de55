"""``pihost [options] [@file …] [prompt …]``: a session in print, json, rpc or interactive mode."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TextIO

from pihost.cli._arguments import Arguments, UsageError, split
from pihost.cli._collecting import collect_from_now_on
from pihost.cli._options import flag_names, flag_values, known_names, session_options
from pihost.cli._stdout import answer_only
from pihost.cli._values import host_options, parse, working_directory
from pihost.config import HostConfig
from pihost.diagnostics import Diagnostic, in_startup_order

if TYPE_CHECKING:
    from pihost.cli._running import Interruption
    from pihost.context import UI
    from pihost.host import Host
    from pihost.modes.interactive import InteractiveMode
    from pihost.modes.json_mode import JsonMode
    from pihost.modes.print_mode import PrintMode
    from pihost.modes.prompts import Prompt
    from pihost.modes.rpc.mode import RpcMode

    _Mode = PrintMode | JsonMode | RpcMode | InteractiveMode

__all__ = ["run_session"]

Presentation = Literal["print", "json", "rpc", "interactive"]
Leave = Callable[[], None]


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
    if arguments.has("-V", "--version"):
        from pihost._version import __version__

        print(f"pihost {__version__}")  # noqa: T201 -- the answer
        return 0
    values = parse(declared, arguments)
    presentation = _presentation(values)
    if presentation == "interactive":
        _require_terminal_extra()
    from pihost.cli._running import run_until_done

    if presentation == "interactive":
        return run_until_done(partial(_run, words, values, presentation, sys.stdout))
    with answer_only() as answer:
        return run_until_done(partial(_run, words, values, presentation, answer))


def _presentation(values: Mapping[str, Any]) -> Presentation:
    mode: Presentation = values["mode"]
    if mode in ("json", "rpc"):
        return mode
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return "interactive" if at_terminal and not values["print_"] else "print"


def _require_terminal_extra() -> None:
    from importlib.util import find_spec

    if find_spec("prompt_toolkit") is None or find_spec("rich") is None:
        raise UsageError(
            "the interactive mode needs packages that are not installed",
            'Install them with: pip install "pihost[tui]", or run one prompt with: pihost -p "…"',
        )


async def _run(
    words: Sequence[str],
    values: Mapping[str, Any],
    presentation: Presentation,
    answer: TextIO,
    interruption: Interruption,
) -> int:
    from pihost.cli._report import Reports
    from pihost.host import Host, StartRefusedError

    options = host_options(values, presentation)
    streams = ExitStack()
    reports = Reports()
    mode, ui, leave = _mode(presentation, answer, streams, reports.look)

    def before_start(host: Host) -> None:
        shadowed = tuple(_shadowed_flags(host))
        reports.tell(in_startup_order((*host.diagnostics, *shadowed)))
        reports.follow(lambda: host.diagnostics)
        host.refuse_errors(shadowed)
        host.set_flags(flag_values(host.runner.flags(), _strictly_split(words, host)))
        mode.follow(host)
        interruption.from_now_on_orderly(leave)

    try:
        async with Host.open(
            working_directory(), config=HostConfig(), options=options, ui=ui, before_start=before_start
        ) as host:
            if values["name"]:
                host.session.set_name(values["name"])
            collect_from_now_on()
            arguments = _strictly_split(words, host)
            return await mode.run(host, await _prompts(host, arguments, presentation))
    except StartRefusedError:
        return 1
    finally:
        with streams:
            mode.finish()
        reports.look()


def _shadowed_flags(host: Host) -> Iterator[Diagnostic]:
    """An error for each flag that an extension gave the name of one of the host's own options."""
    own = known_names(session_options())
    for name, flag in host.runner.flags().items():
        if f"--{name}" in own:
            yield Diagnostic(
                level="error",
                message=f"Extension {flag.extension!r} registers the flag --{name}, an option of the host",
                kind="conflict",
                source=flag.extension,
                hint=f'Start without it using "{host.config.app_name} --disable {flag.extension}".',
            )


def _strictly_split(words: Sequence[str], host: Host) -> Arguments:
    """The command line, now that the extensions' flags are known.

    Raises:
        UsageError: an option in it is not known.
    """
    known = {**flag_names(host.runner.flags()), **known_names(session_options())}
    arguments = split(words, known)
    arguments.refuse_unknown(known)
    return arguments


async def _prompts(host: Host, arguments: Arguments, presentation: Presentation) -> tuple[Prompt, ...]:
    from pihost.modes.prompts import gather_prompts, read_standard_input

    if presentation in ("interactive", "rpc"):
        return gather_prompts(arguments.prompts, arguments.files, None, host.cwd)
    piped = await read_standard_input(patient=not arguments.prompts)
    prompts = gather_prompts(arguments.prompts, arguments.files, piped, host.cwd)
    if not prompts:
        raise UsageError("there is nothing to do", 'Give a prompt: pihost -p "read README.md"')
    return prompts


def _mode(
    presentation: Presentation, answer: TextIO, streams: ExitStack, look: Callable[[], None]
) -> tuple[_Mode, UI | None, Leave | None]:
    """What presents the session, how extensions speak with the user, and what a signal tells it first.

    Args:
        presentation: How it is presented.
        answer: Where the answer goes.
        streams: Gets whatever stands in the place of the other standard streams meanwhile.
        look: Reports what was found wrong with the host since.
    """
    if presentation == "interactive":
        from pihost.modes.interactive import InteractiveMode
        from pihost.modes.terminal_ui import TerminalUI

        return InteractiveMode(), TerminalUI(), None
    from pihost.cli._report import say
    from pihost.modes.notices import notices_by

    if presentation == "json":
        from pihost.modes.json_mode import JsonMode

        return JsonMode(answer.buffer), notices_by(say), None
    if presentation == "rpc":
        from pihost.modes.rpc.mode import RpcMode, own_input

        rpc = RpcMode(streams.enter_context(own_input()), answer.fileno())
        return rpc, rpc.ui, rpc.leave
    from pihost.modes.print_mode import PrintMode

    return PrintMode(answer, say, look), notices_by(say), None
