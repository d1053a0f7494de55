"""The ``bash`` tool: commands in a shell."""

from __future__ import annotations

from pathlib import Path

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._parameters import ShellParameters
from pihost.tools._programs import find_program
from pihost.tools.failure import ToolFailedError
from pihost.tools.shell._shell_tool import run_shell

__all__ = ["run_bash"]

_USUAL = Path("/bin/bash")


async def run_bash(
    cwd: Path,
    params: ShellParameters,
    ctx: ToolContext,
    *,
    shell: str | None = None,
    output_fallback_dir: Path | None = None,
) -> ToolResult:
    """Carry out a call of ``bash``.

    Args:
        cwd: Where the command runs.
        params: The call's arguments.
        ctx: The session around it.
        shell: The shell instead of the one found; it must understand ``-c``.
        output_fallback_dir: Where long output goes if the temporary directory is refused.

    Raises:
        ToolFailedError: it cannot be started.
    """
    # A command that begins like an option would be taken for one.
    options = ["-c", "--"] if params.command.startswith(("-", "+")) else ["-c"]
    argv = [shell or _found_shell(), *options, params.command]
    return await run_shell(argv, params, ctx, cwd=cwd, output_fallback_dir=output_fallback_dir)


def _found_shell() -> str:
    found = _USUAL if _USUAL.exists() else find_program("bash", "sh")
    if found is None:
        raise ToolFailedError(
            "There is no bash on this machine. Install it, or name a shell with the setting `shell`."
        )
    return str(found)
