"""The ``find`` tool: files and directories by a glob."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._failure import ToolFailedError, file_failure
from pihost.tools._glob import Glob
from pihost.tools._listing import list_result, printable
from pihost.tools._tool_path import resolve_tool_path
from pihost.tools.definition import ToolAnnotations, ToolDefinition
from pihost.tools.ripgrep import RipgrepEnd, run_ripgrep

__all__ = ["FindParameters", "create_find_tool"]

_TROUBLE = 2


@attrs.frozen(kw_only=True)
class FindParameters:
    """Arguments of ``find``."""

    pattern: Annotated[
        str,
        Meta(
            description="A glob such as *.py (any directory), src/**/*.py or **/test_*.py; end it in / for "
            "directories only"
        ),
    ]
    path: Annotated[str, Meta(description="The directory to look in; the working directory if left out")] = (
        "."
    )
    limit: Annotated[int, Meta(ge=1, description="Most paths to show")] = 1000


def create_find_tool(cwd: Path) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where relative paths start.
    """

    async def execute(_call_id: str, params: FindParameters, _ctx: ToolContext) -> ToolResult:
        directory = _directory(cwd, params.path)
        glob = _glob(params.pattern)
        files: list[bytes] = []

        def collect(records: list[bytes]) -> bool:
            files.extend(records)
            return True

        end = await run_ripgrep(["--files", "--null"], cwd=directory, separator=b"\0", on_records=collect)
        return _result(_matching(files, glob), params, end)

    return ToolDefinition(
        name="find",
        label="Find",
        description=(
            "Find files and directories by a glob, hidden ones included, what .gitignore names left out. "
            "Paths are relative to the directory and sorted; directories end in a slash."
        ),
        prompt_snippet="find files by glob",
        parameters=FindParameters,
        execute=execute,
        annotations=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
        default_active=False,
    )


def _directory(cwd: Path, text: str) -> Path:
    directory = resolve_tool_path(cwd, text, for_read=True)
    try:
        directory.stat()
    except (OSError, ValueError) as fault:
        raise file_failure("look in", text, fault) from fault
    if not directory.is_dir():
        raise ToolFailedError(f"Cannot look in {text}: it is not a directory.")
    return directory


def _glob(pattern: str) -> Glob:
    try:
        return Glob(pattern, anchored=False)
    except ValueError as fault:
        raise ToolFailedError(f"Cannot use the pattern: {fault}.") from fault


def _matching(files: list[bytes], glob: Glob) -> list[str]:
    """The files that match and the directories above files that do, sorted."""
    names = os.fsdecode(b"\0".join(files)).replace(os.sep, "/").split("\0") if files else []
    directories: set[str] = set()
    for parent in {name.rpartition("/")[0] for name in names}:
        above = parent
        while above and above not in directories:
            directories.add(above)
            above = above.rpartition("/")[0]
    return sorted(glob.chosen(names) + glob.chosen(f"{directory}/" for directory in directories))


def _result(found: list[str], params: FindParameters, end: RipgrepEnd) -> ToolResult:
    notices = []
    if end.code == _TROUBLE and end.messages:
        notices.append(f"Not everything could be searched: {end.messages.splitlines()[0]}")
    if not found:
        text = f"No files found matching {params.pattern}"
        return ToolResult.from_text("\n\n".join([text, *(f"[{notice}]" for notice in notices)]))
    lines = [printable(name) for name in found[: params.limit]]
    limit_reached = params.limit if len(found) > params.limit else None
    return list_result(lines, limit_reached=limit_reached, what="results", notices=notices)
