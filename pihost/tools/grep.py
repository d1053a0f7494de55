"""The ``grep`` tool: lines that match a pattern."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._failure import ToolFailedError, file_failure
from pihost.tools._glob import Glob
from pihost.tools._grep_records import GrepCollector
from pihost.tools._listing import list_result
from pihost.tools._tool_path import resolve_tool_path
from pihost.tools.definition import ToolAnnotations, ToolDefinition
from pihost.tools.ripgrep import RipgrepEnd, run_ripgrep
from pihost.tools.truncate import GREP_MAX_LINE_LENGTH

__all__ = ["GrepParameters", "create_grep_tool"]


@attrs.frozen(kw_only=True)
class GrepParameters:
    """Arguments of ``grep``."""

    pattern: Annotated[str, Meta(description="A regular expression, or text with literal")]
    path: Annotated[
        str, Meta(description="The directory or file to search; the working directory if left out")
    ] = "."
    glob: Annotated[str, Meta(description="Only files that fit, such as *.py or src/**/*.ts")] | None = None
    ignore_case: Annotated[bool, Meta(description="Upper and lower case are the same")] = False
    literal: Annotated[bool, Meta(description="The pattern is text, not a regular expression")] = False
    context: Annotated[int, Meta(ge=0, le=1000, description="Lines to show before and after each match")] = 0
    limit: Annotated[int, Meta(ge=1, description="Most matches to show")] = 100


def create_grep_tool(cwd: Path) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where relative paths start.
    """

    async def execute(_call_id: str, params: GrepParameters, _ctx: ToolContext) -> ToolResult:
        directory, name = _place(cwd, params.path)
        collector = GrepCollector(
            wants=_glob(params.glob), limit=params.limit, context=params.context, name=name
        )
        arguments = _arguments(params, name)
        end = await run_ripgrep(arguments, cwd=directory, separator=b"\n", on_records=collector.take)
        return _result(collector, params, end)

    return ToolDefinition(
        name="grep",
        label="Grep",
        description=(
            "Search files for lines that match a pattern, hidden files included, what .gitignore names left "
            "out. Matches come as file:line: text, lines around them as file-line- text."
        ),
        prompt_snippet="search the contents of files",
        parameters=GrepParameters,
        execute=execute,
        annotations=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
        default_active=False,
    )


def _place(cwd: Path, text: str) -> tuple[Path, str | None]:
    """The directory to search, or the directory of the one file to search and its name."""
    path = resolve_tool_path(cwd, text, for_read=True)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as fault:
        raise file_failure("search", text, fault) from fault
    if stat.S_ISDIR(mode):
        return path, None
    if not stat.S_ISREG(mode):
        raise ToolFailedError(f"Cannot search {text}: it is neither a file nor a directory.")
    return path.parent, path.name


def _glob(pattern: str | None) -> Callable[[str], bool]:
    if pattern is None:
        return lambda _path: True
    try:
        return Glob(pattern, anchored=True).matches
    except ValueError as fault:
        raise ToolFailedError(f"Cannot use the glob: {fault}.") from fault


def _arguments(params: GrepParameters, name: str | None) -> list[str]:
    arguments = ["--json", "--crlf", f"--context={params.context}", f"--regexp={params.pattern}"]
    if params.ignore_case:
        arguments.append("--ignore-case")
    if params.literal:
        arguments.append("--fixed-strings")
    return [*arguments, "--", f"./{name or ''}"]


def _result(collector: GrepCollector, params: GrepParameters, end: RipgrepEnd) -> ToolResult:
    if not collector.finished and not end.stopped:
        raise ToolFailedError(end.messages or f"ripgrep ended with code {end.code}.")
    notices = []
    if collector.lines_cut:
        notices.append(f"Lines over {GREP_MAX_LINE_LENGTH} characters were cut. Use read to see them whole")
    if end.messages and not end.stopped:
        notices.append(f"Not everything could be searched: {end.messages.splitlines()[0]}")
    if not collector.matches:
        return ToolResult.from_text("\n\n".join(["No matches found", *(f"[{notice}]" for notice in notices)]))
    return list_result(
        collector.lines,
        limit_reached=params.limit if collector.matches >= params.limit else None,
        what="matches",
        lines_cut=collector.lines_cut,
        notices=notices,
    )
