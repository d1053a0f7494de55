"""``pihost --help``: the host's options, the commands, and the flags of the extensions that load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pihost.cli._arguments import Arguments, UsageError
from pihost.cli._help_text import help_rows, section, usage
from pihost.cli._options import Option
from pihost.diagnostics import Diagnostic
from pihost.display import visible

__all__ = ["print_help"]

_HELP_LENGTH = 60
"""How many characters of a command's help are listed."""


def print_help(declared: Sequence[Option], arguments: Arguments) -> int:
    """Print the help. Extensions that do not load are named below it and do not keep it from helping.

    Args:
        declared: The host's own options.
        arguments: The command line; its ``-e``, ``-ne``, ``--disable``, ``-a`` and ``-na`` count.

    Returns:
        0.
    """
    from pihost.cli._commands import COMMANDS
    from pihost.cli._report import report_all

    flags, diagnostics = _extension_flags(declared, arguments)
    lines = [
        *usage("[OPTIONS] [@FILE ...] [PROMPT ...]", "COMMAND ..."),
        *section("Options", help_rows(declared)),
        *section("Commands", [(name, text) for name, (_module, text) in COMMANDS.items()]),
        *section("Commands of distributions", _distribution_commands()),
        *[line for extension, named in flags.items() for line in section(f"Options of {extension}", named)],
    ]
    print(*lines, sep="\n", flush=True)  # noqa: T201 -- the answer
    report_all(diagnostics)
    return 0


def _distribution_commands() -> list[tuple[str, str]]:
    """Each command with what it says of itself, or with what keeps it from being imported."""
    from pihost.cli._distribution_commands import distribution_commands

    rows = []
    for name, found in distribution_commands().items():
        try:
            text = found.load().get_short_help_str(_HELP_LENGTH)
        except UsageError as fault:
            text = f"({fault})"
        rows.append((name, text))
    return rows


def _extension_flags(
    declared: Sequence[Option], arguments: Arguments
) -> tuple[Mapping[str, Sequence[tuple[str, str]]], Sequence[Diagnostic]]:
    from pihost.cli._stdout import answer_only
    from pihost.cli._values import host_options, parse, working_directory
    from pihost.config import HostConfig
    from pihost.extensions.event_loop import run_to_end
    from pihost.host import survey

    options = host_options(parse(declared, arguments), "print")
    with answer_only():
        startup = run_to_end(survey(working_directory(), config=HostConfig(), options=options))
    flags = {
        extension.id: [
            (f"--{name}" if flag.type == "boolean" else f"--{name} TEXT", visible(flag.description))
            for name, flag in extension.flags.items()
        ]
        for extension in startup.extensions
        if extension.flags
    }
    return flags, startup.diagnostics
