"""The command ``pihost mcp``."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from pihost.cli import Group, answer_only, host_parameters, own_input, print_json, run_in_host, table

if TYPE_CHECKING:
    from pihost import Host

__all__ = ["command"]

_STARTING_SECONDS = 60.0
"""How long a list waits for servers that are starting; each of them has a limit of its own."""


def _serve(
    *, http: bool, port: int | None, tools: str | None, exclude_tools: str | None, **loading: Any
) -> int:
    """Offer the active tools to clients of the Model Context Protocol.

    Tools of extensions are among them, and every call goes through the hooks. The client is whoever holds
    standard input and output; with --http any program on this machine.
    """
    if port is not None and not http:
        raise click.UsageError("--port needs --http")
    chosen: dict[str, Any] = {"tools": _names(tools), "exclude_tools": _names(exclude_tools) or ()}
    with answer_only() as answer, own_input() as source:
        if http:
            return run_in_host(partial(_serve_http, port or 0), loading, **chosen)
        return run_in_host(partial(_serve_stdio, source, answer.fileno()), loading, **chosen)


def _list(*, as_json: bool, **loading: Any) -> int:
    """Start the MCP servers there are, and show how each stands.

    They are those of mcp.json, your own and a trusted project's, and those that extensions register.

    JSON is a list of objects: name, source (a file, or an extension's id), state (ready, failed, starting,
    stopped, disabled or not_trusted), tools (their names here), error (or null).
    """
    with answer_only() as answer, _warnings_kept():
        return run_in_host(partial(_show_servers, answer, as_json), loading)


@contextlib.contextmanager
def _warnings_kept() -> Iterator[None]:
    """Let the extension warn of nothing: what is wrong with servers stands in the list."""
    log = logging.getLogger("pihost.extension.pihost-mcp")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


async def _show_servers(answer: TextIO, as_json: bool, host: Host) -> int:  # noqa: FBT001 -- bound by partial
    from pihost_mcp._listing import listed, what, where, words

    rows, faults = listed(host, await host.runner.mcp_servers(within=_STARTING_SECONDS))
    for fault in faults:
        click.echo(f"Warning: {fault}", err=True)
    if as_json:
        print_json(rows, answer)
    elif not rows:
        click.echo("There are none: mcp.json names no server, and no extension registers one.", file=answer)
    else:
        for line in table([[what(row), where(row, host), words(row)] for row in rows]):
            click.echo(line, file=answer)
    return 0


async def _serve_stdio(source: int, answers: int, host: Host) -> int:
    from pihost_mcp._serve_stdio import serve_stdio
    from pihost_mcp._serving import ToolServer

    async with ToolServer(host).open() as server:
        await serve_stdio(server, source, answers)
    return 0


async def _serve_http(port: int, host: Host) -> int:
    from pihost_mcp._serve_http import serve_http
    from pihost_mcp._serving import ToolServer

    say: Callable[[str], object] = partial(click.echo, err=True)
    async with ToolServer(host).open() as server:
        await serve_http(server, port, lambda address: say(f"Serving at {address}"))
    return 0


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name for part in text.split(",") if (name := part.strip()))


command = Group(
    "mcp",
    help="The Model Context Protocol: offer tools to other programs, and see whose tools are offered here.",
    commands=[
        click.Command(
            "list",
            callback=_list,
            help=_list.__doc__,
            params=[
                click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
                *host_parameters(),
            ],
        ),
        click.Command(
            "serve",
            callback=_serve,
            help=_serve.__doc__,
            params=[
                click.Option(["--http"], is_flag=True, help="Serve streamable HTTP on 127.0.0.1 instead."),
                click.Option(
                    ["--port"], type=click.IntRange(0, 65535), help="The port; without it one that is free."
                ),
                click.Option(["-t", "--tools"], metavar="A,B", help="The active tools."),
                click.Option(
                    ["-xt", "--exclude-tools"], metavar="A,B", help="Tools that are neither offered nor run."
                ),
                *host_parameters(),
            ],
        ),
    ],
)
