"""The ``powershell`` tool: commands in PowerShell."""

from __future__ import annotations

import base64
from pathlib import Path

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._parameters import ShellParameters
from pihost.tools._programs import find_program
from pihost.tools.failure import ToolFailedError
from pihost.tools.shell._shell_tool import run_shell

__all__ = ["run_powershell"]

_BEFORE = (
    "[Console]::OutputEncoding = $OutputEncoding = [System.Text.UTF8Encoding]::new($false); "
    "$ProgressPreference = 'SilentlyContinue'\n"
)
# Without this PowerShell turns every exit code of a program into 1.
_AFTER = "\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }\n"


async def run_powershell(
    cwd: Path, params: ShellParameters, ctx: ToolContext, *, output_fallback_dir: Path | None = None
) -> ToolResult:
    """Carry out a call of ``powershell``.

    Args:
        cwd: Where the command runs.
        params: The call's arguments.
        ctx: The session around it.
        output_fallback_dir: Where long output goes if the temporary directory is refused.

    Raises:
        ToolFailedError: it cannot be started.
    """
    argv = _argv(params.command)
    return await run_shell(argv, params, ctx, cwd=cwd, output_fallback_dir=output_fallback_dir)


def _argv(command: str) -> list[str]:
    program = find_program("pwsh", "powershell")
    if program is None:
        raise ToolFailedError("There is neither pwsh nor powershell.exe on this machine. Use bash.")
    # Encoded, since no quoting survives both Windows' rules and PowerShell's own.
    encoded = base64.b64encode(f"{_BEFORE}{command}{_AFTER}".encode("utf-16-le")).decode("ascii")
    options = ["-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text"]
    return [str(program), *options, "-EncodedCommand", encoded]
