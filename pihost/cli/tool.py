"""``pihost tool NAME [JSON or key=value …]``: one tool call through the real pipeline."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from pihost.cli._arguments import UsageError
from pihost.cli._host_command import host_parameters, run_in_host
from pihost.cli._stdout import answer_only
from pihost.display import fit_for

if TYPE_CHECKING:
    from pihost.content import ToolResult
    from pihost.host import Host

__all__ = ["command"]

_SERVERS_SECONDS = 10.0
"""How long a tool that is not there is waited for, while MCP servers are still starting."""


def _tool(name: str, arguments: Sequence[str], *, as_json: bool, **loading: Any) -> int:
    """Run the tool NAME, hooks included, and print its result.

    ARGUMENTS are one JSON object, or key=value pairs; a value is JSON where the tool does not take text.

    JSON is one object: content (blocks, each with its type), details, structured_content, is_error.
    """
    with answer_only() as answer:
        show = partial(_print, answer, as_json=as_json)
        return run_in_host(partial(_call, name, arguments, show), loading)


async def _call(name: str, words: Sequence[str], show: Callable[[ToolResult], None], host: Host) -> int:
    if name not in host.session.tools:
        await host.runner.mcp_servers(within=_SERVERS_SECONDS)
    result = await host.call_tool(name, _arguments(host, name, words))
    show(result)
    return 1 if result.is_error else 0


def _arguments(host: Host, name: str, words: Sequence[str]) -> dict[str, Any]:
    """The call's arguments, from one JSON object or from pairs."""
    from pihost.jsonlines import decode

    if len(words) == 1 and words[0].lstrip().startswith("{"):
        try:
            value = decode(words[0])
        except ValueError as fault:
            raise UsageError(f"the arguments are not JSON: {fault}") from fault
        return dict(value)
    texts = _text_parameters(host, name)
    arguments: dict[str, Any] = {}
    for key, value in (_pair(word, texts) for word in words):
        if key in arguments:
            raise UsageError(f"{key} is given twice", "Give a list as JSON.")
        arguments[key] = value
    return arguments


def _text_parameters(host: Host, name: str) -> frozenset[str]:
    """The parameters of the tool that take text, whose values are not read as JSON."""
    tool = host.session.tools.get(name)
    properties = {} if tool is None else tool.schema.json_schema.get("properties", {})
    return frozenset(key for key, schema in properties.items() if _is_text(schema))


def _is_text(schema: object) -> bool:
    """Whether a schema takes text and nothing else, except that the value may be left out."""
    if not isinstance(schema, dict):
        return False
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if choices:
        return all(map(_is_text, choices))
    if "enum" in schema:
        return all(isinstance(value, str) for value in schema["enum"])
    return schema.get("type") in ("string", ["string", "null"], ["null", "string"])


def _pair(word: str, texts: frozenset[str]) -> tuple[str, Any]:
    from pihost.jsonlines import decode

    key, equals, value = word.partition("=")
    if not equals or not key:
        raise UsageError(f"{word!r} is not key=value", "Give key=value pairs, or one JSON object.")
    if key in texts:
        return key, value
    try:
        return key, decode(value)
    except ValueError:
        return key, value


def _print(answer: TextIO, result: ToolResult, *, as_json: bool) -> None:
    if as_json:
        from pihost.jsonlines import encode

        shown = {
            "content": result.content,
            "details": result.details,
            "structured_content": result.structured_content,
            "is_error": result.is_error,
        }
        answer.buffer.write(encode(shown) + b"\n")
        answer.buffer.flush()
        return
    stream = sys.stderr if result.is_error else answer
    click.echo(fit_for(stream, result.text), file=stream, nl=not result.text.endswith("\n"))


command = click.Command(
    "tool",
    callback=_tool,
    help=_tool.__doc__,
    params=[
        click.Argument(["name"]),
        click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the whole result as a JSON object."),
        *host_parameters(),
    ],
)
