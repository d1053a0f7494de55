"""The ``ls`` tool: what a directory holds."""

from __future__ import annotations

import os
from pathlib import Path

from pihost.content import ToolResult
from pihost.tools._parameters import LsParameters
from pihost.tools._threads import run_to_end
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.search._listing import list_result, printable
from pihost.tools.tool_path import resolve_tool_path

__all__ = ["list_directory"]


async def list_directory(cwd: Path, params: LsParameters) -> ToolResult:
    """Carry out a call of ``ls``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.

    Raises:
        ToolFailedError: it cannot be done.
    """
    path = resolve_tool_path(cwd, params.path, for_read=True)
    if path.exists() and not path.is_dir():
        raise ToolFailedError(f"Cannot list {params.path}: it is not a directory. Use read to see it.")
    try:
        names = await run_to_end(lambda: _names(path))
    except (OSError, ValueError) as fault:
        raise file_failure("list", params.path, fault) from fault
    if not names:
        return ToolResult.from_text("(empty directory)")
    limit_reached = params.limit if len(names) > params.limit else None
    return list_result(names[: params.limit], limit_reached=limit_reached)


def _names(path: Path) -> list[str]:
    with os.scandir(path) as entries:
        found = [(entry.name, _is_directory(entry)) for entry in entries]
    found.sort(key=lambda each: (each[0].lower(), each[0]))
    return [printable(name) + ("/" if directory else "") for name, directory in found]


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """Whether it is a directory or a link to one; a link that cannot be followed is just a name."""
    try:
        return entry.is_dir()
    except OSError:
        return False
