"""The ``write`` tool: a whole file, new or replaced."""

from __future__ import annotations

import contextlib
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.tools._parameters import WriteParameters
from pihost.tools._threads import run_to_end
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.tool_path import resolve_tool_path
from pihost.tools.writing.atomic import replace_file
from pihost.tools.writing.mutation_queue import file_mutation_queue

__all__ = ["WriteDetails", "write_file"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class WriteDetails(Value):
    """Besides the text of ``write``.

    Attributes:
        path: The file.
        bytes: Bytes written.
        created: Whether there was no such file before.
    """

    path: Path
    bytes: int
    created: bool


async def write_file(cwd: Path, params: WriteParameters, *, lock_dir: Path | None = None) -> ToolResult:
    """Carry out a call of ``write``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.
        lock_dir: As in ``file_mutation_queue``.

    Raises:
        ToolFailedError: it cannot be done.
    """
    path = resolve_tool_path(cwd, params.path, for_read=False)
    data = _encoded(params.content)
    try:
        async with file_mutation_queue(path, lock_dir=lock_dir):
            created = await run_to_end(lambda: _write(path, data))
    except (OSError, ValueError) as fault:
        raise file_failure("write", params.path, fault) from fault
    verb = "Created" if created else "Replaced"
    details = WriteDetails(path=path, bytes=len(data), created=created)
    return ToolResult.from_text(f"{verb} {params.path} ({len(data)} bytes).", details=details)


def _encoded(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as fault:
        raise ToolFailedError(
            f"content has half a surrogate pair at character {fault.start}, which no file can hold."
        ) from fault


def _write(path: Path, data: bytes) -> bool:
    """Write the file and say whether it is new; directories made for nothing are taken away again."""
    created = not path.exists()
    made = _make_directories(path.parent)
    try:
        replace_file(path, data)
    except BaseException:
        for directory in reversed(made):
            # Somebody else has put something there meanwhile: then it is theirs.
            with contextlib.suppress(OSError):
                directory.rmdir()
        raise
    return created


def _make_directories(directory: Path) -> list[Path]:
    missing: list[Path] = []
    while not directory.exists() and directory != directory.parent:
        missing.insert(0, directory)
        directory = directory.parent
    made = []
    for each in missing:
        each.mkdir(exist_ok=True)
        made.append(each)
    return made
