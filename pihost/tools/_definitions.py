"""The tools of the house as they are offered; the code of each is imported at its first call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._parameters import (
    EditParameters,
    FindParameters,
    GrepParameters,
    LsParameters,
    ReadParameters,
    ShellParameters,
    WriteParameters,
)
from pihost.tools._programs import find_program
from pihost.tools.definition import ToolAnnotations, ToolDefinition
from pihost.tools.outputs.truncate import DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, format_size

__all__ = [
    "ToolSettings",
    "bash_tool",
    "edit_tool",
    "find_tool",
    "grep_tool",
    "ls_tool",
    "powershell_tool",
    "read_tool",
    "shell_name",
    "write_tool",
]

_LOOKS = ToolAnnotations(read_only=True, idempotent=True, open_world=False)
_SHELL = ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=True)
_SHELL_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "output": {"type": "string"},
        "truncated": {"type": "boolean"},
        "full_output_path": {"type": ["string", "null"]},
        "exit_code": {"type": ["integer", "null"]},
        "wall_time_seconds": {"type": "number"},
    },
    "required": ["output", "truncated", "full_output_path", "exit_code", "wall_time_seconds"],
    "additionalProperties": False,
}
_LIMITS = f"{DEFAULT_MAX_LINES} lines or {format_size(DEFAULT_MAX_BYTES)}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolSettings(Value):
    """What a host decides for the tools.

    Attributes:
        lock_dir: Directory of the locks that keep other processes off a file being changed; ``None`` is no
            such locks.
        shell: The shell that ``bash`` runs instead of the one found.
        output_fallback_dir: Where long output is kept if the temporary directory is refused.
    """

    lock_dir: Path | None = None
    shell: str | None = None
    output_fallback_dir: Path | None = None


def shell_name() -> str:
    """The shell a model gets unasked: PowerShell only on a Windows without bash."""
    return "powershell" if sys.platform == "win32" and find_program("bash") is None else "bash"


def read_tool(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    """The tool ``read``, for relative paths from ``cwd``."""

    async def execute(_call_id: str, params: ReadParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.reading.read import read_file

        return await read_file(cwd, params)

    return ToolDefinition(
        name="read",
        label="Read",
        description=(
            f"Read a file. Text is shown from the start, at most {_LIMITS}; use offset and limit for the "
            "rest. PNG, JPEG, GIF and WebP files are shown as pictures."
        ),
        prompt_snippet="read files",
        parameters=ReadParameters,
        execute=execute,
        annotations=_LOOKS,
    )


def write_tool(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    """The tool ``write``, for relative paths from ``cwd``."""

    async def execute(_call_id: str, params: WriteParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.writing.write import write_file

        return await write_file(cwd, params, lock_dir=settings.lock_dir)

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


def edit_tool(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    """The tool ``edit``, for relative paths from ``cwd``."""

    def prepare(arguments: Any) -> Any:
        from pihost.tools.editing.edit import prepare_arguments

        return prepare_arguments(arguments)

    async def execute(_call_id: str, params: EditParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.editing.edit import edit_file

        return await edit_file(cwd, params, lock_dir=settings.lock_dir)

    return ToolDefinition(
        name="edit",
        label="Edit",
        description=(
            "Change a file by replacing exact text. Every old_text must occur exactly once; "
            "put all changes of one file into one call."
        ),
        prompt_snippet="change files by replacing exact text",
        parameters=EditParameters,
        prepare_arguments=prepare,
        execute=execute,
        annotations=ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=False),
    )


def grep_tool(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    """The tool ``grep``, for relative paths from ``cwd``."""

    async def execute(_call_id: str, params: GrepParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.search.grep import search_files

        return await search_files(cwd, params)

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
        annotations=_LOOKS,
        default_active=False,
    )


def find_tool(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    """The tool ``find``, for relative paths from ``cwd``."""

    async def execute(_call_id: str, params: FindParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.search.find import find_files

        return await find_files(cwd, params)

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
        annotations=_LOOKS,
        default_active=False,
    )


def ls_tool(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    """The tool ``ls``, for relative paths from ``cwd``."""

    async def execute(_call_id: str, params: LsParameters, _ctx: ToolContext) -> ToolResult:
        from pihost.tools.search.ls import list_directory

        return await list_directory(cwd, params)

    return ToolDefinition(
        name="ls",
        label="List",
        description="List a directory, sorted, directories with a final slash, dotfiles included.",
        prompt_snippet="list directories",
        parameters=LsParameters,
        execute=execute,
        annotations=_LOOKS,
        default_active=False,
    )


def bash_tool(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    """The tool ``bash``, for commands in ``cwd``."""

    async def execute(_call_id: str, params: ShellParameters, ctx: ToolContext) -> ToolResult:
        from pihost.tools.shell.bash import run_bash

        fallback = settings.output_fallback_dir
        return await run_bash(cwd, params, ctx, shell=settings.shell, output_fallback_dir=fallback)

    return ToolDefinition(
        name="bash",
        label="Bash",
        description=(
            "Run a command in bash, in the working directory, without input. Standard output and error come "
            f"back merged: the last {_LIMITS}; if there is more, the result names a file with all of it."
        ),
        prompt_snippet="run shell commands",
        parameters=ShellParameters,
        execute=execute,
        output_schema=_SHELL_OUTPUT,
        annotations=_SHELL,
        default_active=shell_name() == "bash",
    )


def powershell_tool(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    """The tool ``powershell``, for commands in ``cwd``."""

    async def execute(_call_id: str, params: ShellParameters, ctx: ToolContext) -> ToolResult:
        from pihost.tools.shell.powershell import run_powershell

        return await run_powershell(cwd, params, ctx, output_fallback_dir=settings.output_fallback_dir)

    return ToolDefinition(
        name="powershell",
        label="PowerShell",
        description=(
            "Run a command in PowerShell, in the working directory, without input. All output comes back "
            "merged; if it is long, its end, and the name of a file with all of it."
        ),
        prompt_snippet="run PowerShell commands",
        parameters=ShellParameters,
        execute=execute,
        output_schema=_SHELL_OUTPUT,
        annotations=_SHELL,
        default_active=shell_name() == "powershell",
    )
