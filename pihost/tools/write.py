"""The ``write`` tool: a whole file, new or replaced."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._atomic import replace_file
from pihost.tools._failure import ToolFailedError, file_failure
from pihost.tools._threads import run_to_end
from pihost.tools._tool_path import resolve_tool_path
from pihost.tools.definition import ToolAnnotations, ToolDefinition
from pihost.tools.mutation_queue import file_mutation_queue

__all__ = ["WriteDetails", "WriteParameters", "create_write_tool"]


@attrs.frozen(kw_only=True)
class WriteParameters:
    """Arguments of ``write``."""

    path: Annotated[str, Meta(description="The file, absolute or relative to the working directory")]
    content: Annotated[str, Meta(description="The whole new content")]


@attrs.frozen(kw_only=True)
class WriteDetails:
    """Besides the text of ``write``.

    Attributes:
        path: The file.
        bytes: Bytes written.
        created: Whether there was no such file before.
    """

    path: Path
    bytes: int
    created: bool


def create_write_tool(cwd: Path, *, lock_dir: Path | None = None) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where relative paths start.
        lock_dir: As in ``file_mutation_queue``.
    """

    async def execute(_call_id: str, params: WriteParameters, _ctx: ToolContext) -> ToolResult:
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

    return ToolDefinition(
        name="write",
        label="Write",
        description="Write a whole file: create it, with the directories above it, or replace what it holds.",
        prompt_snippet="create or replace whole files",
        prompt_guidelines=("Use write for new files and whole replacements, edit for everything else.",),
        parameters=WriteParameters,
        execute=execute,
        annotations=ToolAnnotations(read_only=False, destructive=True, idempotent=True, open_world=False),
    )


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
