"""The ``powershell`` tool: commands in PowerShell."""

from __future__ import annotations

import base64
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

__all__ = ["create_powershell_tool"]

_BEFORE = (
    "[Console]::OutputEncoding = $OutputEncoding = [System.Text.UTF8Encoding]::new($false); "
    "$ProgressPreference = 'SilentlyContinue'\n"
)
# Without this PowerShell turns every exit code of a program into 1.
_AFTER = "\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }\n"


def create_powershell_tool(
    cwd: Path, *, output_fallback_dir: Path | None = None, default_active: bool = False
) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where commands run.
        output_fallback_dir: Where long output goes if the temporary directory is refused.
        default_active: As in ``ToolDefinition``.
    """
    return ToolDefinition(
        name="powershell",
        label="PowerShell",
        description=(
            "Run a command in PowerShell, in the working directory, without input. All output comes back "
            "merged; if it is long, its end, and the name of a file with all of it."
        ),
        prompt_snippet="run PowerShell commands",
        parameters=ShellParameters,
        execute=shell_executor(cwd, _argv, output_fallback_dir),
        output_schema=SHELL_OUTPUT_SCHEMA,
        annotations=SHELL_ANNOTATIONS,
        default_active=default_active,
    )


def _argv(command: str) -> list[str]:
    program = find_program("pwsh", "powershell")
    if program is None:
        raise ToolFailedError("There is neither pwsh nor powershell.exe on this machine. Use bash.")
    # Encoded, since no quoting survives both Windows' rules and PowerShell's own.
    encoded = base64.b64encode(f"{_BEFORE}{command}{_AFTER}".encode("utf-16-le")).decode("ascii")
    options = ["-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text"]
    return [str(program), *options, "-EncodedCommand", encoded]
