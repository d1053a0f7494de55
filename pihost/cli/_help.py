"""``pihost --help``: the host's options, the commands, and the flags of the extensions that load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from pihost.cli._arguments import Arguments
from pihost.cli._options import extension_options
from pihost.diagnostics import Diagnostic

__all__ = ["print_help"]


def print_help(declared: Sequence[click.Option], arguments: Arguments) -> int:
    """Print the help. Extensions that do not load are named below it and do not keep it from helping.

    Args:
        declared: The host's own options.
        arguments: The command line; its ``-e``, ``-ne``, ``--disable``, ``-a`` and ``-na`` count.

    Returns:
        0.
    """
    from pihost.cli._commands import COMMANDS
    from pihost.cli._report import report_all

    command = click.Command("pihost", params=list(declared), add_help_option=False)
    context = click.Context(command, info_name="pihost")
    formatter = context.make_formatter()
    formatter.write_usage("pihost", "[OPTIONS] [@FILE ...] [PROMPT ...]")
    formatter.write_usage("pihost", "COMMAND ...", prefix="       ")
    _section(formatter, "Options", context, declared)
    with formatter.section("Commands"):
        formatter.write_dl([(name, text) for name, (_module, text) in COMMANDS.items()])
    flags, diagnostics = _extension_flags(declared, arguments)
    for extension, options in flags.items():
        _section(formatter, f"Options of {extension}", context, options)
    click.echo(formatter.getvalue().rstrip())
    report_all(diagnostics)
    return 0


def _section(
    formatter: click.HelpFormatter, title: str, context: click.Context, options: Sequence[click.Option]
) -> None:
    rows = [row for option in options if (row := option.get_help_record(context)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def _extension_flags(
    declared: Sequence[click.Option], arguments: Arguments
) -> tuple[Mapping[str, Sequence[click.Option]], Sequence[Diagnostic]]:
    import asyncio

    from pihost.cli._values import host_options, parse
    from pihost.config import HostConfig
    from pihost.host import prepare

    options = host_options(parse(declared, arguments), "print")
    startup = asyncio.run(prepare(Path.cwd(), config=HostConfig(), options=options, ask=False))
    flags = {
        extension.id: extension_options(extension.flags)
        for extension in startup.extensions
        if extension.flags
    }
    return flags, startup.diagnostics
