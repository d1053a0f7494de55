"""The ``find`` tool: files and directories by a glob."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pihost.content import ToolResult
from pihost.tools._parameters import FindParameters
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.search._glob import Glob
from pihost.tools.search._listing import list_result, printable
from pihost.tools.search.ripgrep import RipgrepEnd, run_ripgrep
from pihost.tools.tool_path import resolve_tool_path

__all__ = ["find_files"]

_TROUBLE = 2
_SPARE = 4

# Files of one directory come together mostly, so this finds few of them. Outside a directory: nothing.
_FILES_OF_ONE_DIRECTORY = re.compile(r"([^\0]*)/[^\0/]*+\0(?:\1/[^\0/]*+\0)*+|[^\0]*+\0")


async def find_files(cwd: Path, params: FindParameters) -> ToolResult:
    """Carry out a call of ``find``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.

    Raises:
        ToolFailedError: it cannot be done.
    """
    directory = _directory(cwd, params.path)
    found = _Found(_glob(params.pattern), params.limit + 1)
    end = await run_ripgrep(["--files", "--null"], cwd=directory, separator=b"\0", on_records=found.take)
    return _result(found.paths(), params, end)


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


class _Found:
    """What fits a glob: files, and directories above files. It is worked out while the search goes on.

    Args:
        glob: What is looked for.
        most: How many are wanted, the first in order; memory is kept for a few times as many.
    """

    def __init__(self, glob: Glob, most: int) -> None:
        self._glob = glob
        self._most = most
        self._files: list[str] = []
        self._last_wanted: str | None = None
        self._parents: set[str] = set()

    def take(self, records: bytes) -> bool:
        """Take files, parted by NUL; more are always wanted."""
        listing = os.fsdecode(records).replace(os.sep, "/") + "\0"
        self._keep(self._glob.files_in(listing))
        if self._glob.may_fit_directory(listing):
            self._parents.update(_FILES_OF_ONE_DIRECTORY.findall(listing))
        return True

    def _keep(self, files: list[str]) -> None:
        if self._last_wanted is not None:
            files = [file for file in files if file < self._last_wanted]
        self._files += files
        if len(self._files) > _SPARE * self._most:
            self._files = sorted(self._files)[: self._most]
            self._last_wanted = self._files[-1]

    def paths(self) -> list[str]:
        """The first in order."""
        directories: set[str] = set()
        for parent in self._parents:
            above = parent
            while above and above not in directories:
                directories.add(above)
                above = above.rpartition("/")[0]
        fitting = self._glob.chosen(f"{directory}/" for directory in directories)
        return sorted(self._files + fitting)[: self._most]


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
