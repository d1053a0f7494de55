"""The ``bash`` tool: commands in a shell."""

from __future__ import annotations

from pathlib import Path

from pihost.tools._failure import ToolFailedError
from pihost.tools._programs import find_program
from pihost.tools._shell_tool import (
    SHELL_ANNOTATIONS,
    SHELL_OUTPUT_SCHEMA,
    ShellParameters,
    shell_executor,
)
from pihost.tools.definition import ToolDefinition
from pihost.tools.truncate import DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, format_size

__all__ = ["create_bash_tool"]

_USUAL = Path("/bin/bash")


def create_bash_tool(
    cwd: Path,
    *,
    shell: str | None = None,
    output_fallback_dir: Path | None = None,
    default_active: bool = True,
) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where commands run.
        shell: The shell instead of the one found; it must understand ``-c``.
        output_fallback_dir: Where long output goes if the temporary directory is refused.
        default_active: As in ``ToolDefinition``.
    """

    def argv(command: str) -> list[str]:
        # A command that begins like an option would be taken for one.
        options = ["-c", "--"] if command.startswith(("-", "+")) else ["-c"]
        return [shell or _found_shell(), *options, command]

    return ToolDefinition(
        name="bash",
        label="Bash",
        description=(
            "Run a command in bash, in the working directory, without input. Standard output and error come "
            f"back merged: the last {DEFAULT_MAX_LINES} lines or {format_size(DEFAULT_MAX_BYTES)}; if there "
            "is more, the result names a file with all of it."
        ),
        prompt_snippet="run shell commands",
        parameters=ShellParameters,
        execute=shell_executor(cwd, argv, output_fallback_dir),
        output_schema=SHELL_OUTPUT_SCHEMA,
        annotations=SHELL_ANNOTATIONS,
        default_active=default_active,
    )


def _found_shell() -> str:
    found = _USUAL if _USUAL.exists() else find_program("bash", "sh")
    if found is None:
        raise ToolFailedError(
            "There is no bash on this machine. Install it, or name a shell with the setting `shell`."
        )
    return str(found)
