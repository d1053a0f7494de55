"""The ``grep`` tool: lines that match a pattern."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from pihost.content import ToolResult
from pihost.tools._parameters import GrepParameters
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.outputs.truncate import GREP_MAX_LINE_LENGTH
from pihost.tools.search._glob import Glob
from pihost.tools.search._grep_records import GrepCollector
from pihost.tools.search._listing import list_result
from pihost.tools.search.ripgrep import RipgrepEnd, run_ripgrep
from pihost.tools.tool_path import resolve_tool_path

__all__ = ["search_files"]


async def search_files(cwd: Path, params: GrepParameters) -> ToolResult:
    """Carry out a call of ``grep``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.

    Raises:
        ToolFailedError: it cannot be done.
    """
    directory, name = _place(cwd, params.path)
    collector = GrepCollector(wants=_glob(params.glob), limit=params.limit, context=params.context, name=name)
    arguments = _arguments(params, name)
    end = await run_ripgrep(arguments, cwd=directory, separator=b"\n", on_records=collector.take)
    return _result(collector, params, end)


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
