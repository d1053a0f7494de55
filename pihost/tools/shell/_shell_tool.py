"""What ``bash`` and ``powershell`` have in common: execution and the result."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from pathlib import Path

from pihost.content import TextContent, ToolResult
from pihost.context import ToolContext
from pihost.tools._parameters import ShellParameters
from pihost.tools.failure import ToolFailedError
from pihost.tools.shell._shell_output import ShellOutput, ShownOutput
from pihost.tools.shell.process import ProcessEnd, run_process

__all__ = ["run_shell"]

_SIGNAL_BASE = 128


async def run_shell(
    argv: list[str], params: ShellParameters, ctx: ToolContext, *, cwd: Path, output_fallback_dir: Path | None
) -> ToolResult:
    """Carry out a call of a shell's tool.

    Args:
        argv: The shell and arguments that run the command.
        params: The call's arguments.
        ctx: The session around it.
        cwd: Where the command runs.
        output_fallback_dir: Where long output goes if the temporary directory is refused.

    Raises:
        ToolFailedError: it cannot be started.
    """
    _require_directory(cwd)
    started = time.monotonic()
    output = ShellOutput(ctx.on_update, output_fallback_dir)
    end: ProcessEnd | None = None
    try:
        end = await run_process(
            _checked(argv),
            cwd=cwd,
            env={**os.environ, **ctx.env},
            on_output=output.append,
            timeout=params.timeout,
        )
    except OSError as fault:
        raise _start_failure(fault) from fault
    except asyncio.CancelledError:
        if ctx.signal is None or not ctx.signal.aborted:
            raise
    finally:
        shown = output.finish()
    return _result(shown, end, params, time.monotonic() - started)


def _require_directory(cwd: Path) -> None:
    if not cwd.is_dir():
        raise ToolFailedError(f"Cannot run the command: the working directory {cwd} does not exist.")


def _checked(argv: list[str]) -> list[str]:
    if any("\0" in argument for argument in argv):
        raise ToolFailedError("Cannot run the command: it has a NUL character in it.")
    return argv


def _start_failure(fault: OSError) -> ToolFailedError:
    if fault.errno == errno.E2BIG:
        return ToolFailedError("The command is too long to run; write it to a file and run that.")
    return ToolFailedError(f"Cannot start the shell: {fault}.")


def _result(
    shown: ShownOutput, end: ProcessEnd | None, params: ShellParameters, wall_time: float
) -> ToolResult:
    trouble = _trouble(end, params)
    parts = [shown.text or "(no output)"]
    if trouble:
        parts = [parts[0].removesuffix("\n"), trouble]
    structured = {
        "output": shown.full,
        "truncated": shown.full_truncated,
        "full_output_path": None if shown.path is None else str(shown.path),
        "exit_code": None if end is None or end.timed_out else _exit_code(end),
        "wall_time_seconds": wall_time,
    }
    return ToolResult(
        content=[TextContent(text="\n\n".join(parts))],
        details=shown.details,
        structured_content=structured,
        is_error=bool(trouble) or shown.lost is not None,
    )


def _trouble(end: ProcessEnd | None, params: ShellParameters) -> str:
    """Why the command failed; empty where it did not."""
    if end is None:
        return "Command aborted"
    if end.timed_out:
        return f"Command timed out after {params.timeout:g} seconds"
    if not end.returncode:
        return ""
    named = f" ({_signal_name(-end.returncode)})" if end.returncode < 0 else ""
    return f"Command exited with code {_exit_code(end)}{named}"


def _exit_code(end: ProcessEnd) -> int:
    return end.returncode if end.returncode >= 0 else _SIGNAL_BASE - end.returncode


def _signal_name(number: int) -> str:
    try:
        return f"killed by {signal.Signals(number).name}"
    except ValueError:
        return f"killed by signal {number}"
