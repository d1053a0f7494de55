"""``pihost --help``: the host's options, the commands, and the flags of the extensions that load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from pihost.cli._arguments import Arguments, UsageError
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

    command = click.Command("pihost", add_help_option=False)
    context = click.Context(command, info_name="pihost")
    formatter = context.make_formatter()
    formatter.write_usage("pihost", "[OPTIONS] [@FILE ...] [PROMPT ...]")
    formatter.write_usage("pihost", "COMMAND ...", prefix="       ")
    rows = [row for option in declared if (row := option.for_click().get_help_record(context)) is not None]
    _section(formatter, "Options", rows)
    _section(formatter, "Commands", [(name, text) for name, (_module, text) in COMMANDS.items()])
    _section(formatter, "Commands of distributions", _distribution_commands())
    flags, diagnostics = _extension_flags(declared, arguments)
    for extension, named in flags.items():
        _section(formatter, f"Options of {extension}", named)
    click.echo(formatter.getvalue().rstrip())
    report_all(diagnostics)
    return 0


def _section(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


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
    import asyncio

    from pihost.cli._stdout import answer_only
    from pihost.cli._values import host_options, parse, working_directory
    from pihost.config import HostConfig
    from pihost.host import survey

    options = host_options(parse(declared, arguments), "print")
    with answer_only():
        startup = asyncio.run(survey(working_directory(), config=HostConfig(), options=options))
    flags = {
        extension.id: [
            (f"--{name}" if flag.type == "boolean" else f"--{name} TEXT", visible(flag.description))
            for name, flag in extension.flags.items()
        ]
        for extension in startup.extensions
        if extension.flags
    }
    return flags, startup.diagnostics
