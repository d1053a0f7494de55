"""The command ``pihost mcp``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from pihost.cli import Group, answer_only, host_parameters, own_input, run_in_host

if TYPE_CHECKING:
    from pihost import Host

__all__ = ["command"]


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
