"""Runs a program for an extension and leaves nothing of it behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.tools.shell._process_tree import ProcessTree

__all__ = ["ExecResult", "run_program"]


_DRAIN = 1.0
"""Seconds that the pipes of a killed program get to run dry."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExecResult(Value):
    """What became of a program.

    Attributes:
        stdout: What it printed, undecodable bytes as U+FFFD.
        stderr: What it complained about, the same way.
        code: Its exit code; negative for the signal that ended it.
        timed_out: It was killed for taking too long.
    """

    stdout: str
    stderr: str
    code: int
    timed_out: bool = False


async def run_program(argv: Sequence[str], *, cwd: Path, timeout: float | None) -> ExecResult:  # noqa: ASYNC109 -- a result says so, nothing is raised
    """Run a program to its end, or to the end of its time.

    Args:
        argv: The program and its arguments; no shell reads them.
        cwd: Where it runs.
        timeout: Seconds; ``None`` is no limit.

    Raises:
        OSError: it cannot be started.
    """
    process = await _started(argv, cwd)
    output = asyncio.ensure_future(process.communicate())
    try:
        in_time, _ = await asyncio.wait((output,), timeout=timeout)
    except asyncio.CancelledError:
        await _end(process, output)
        raise
    if not in_time:
        await _end(process, output)
    stdout, stderr = (b"", b"") if output.cancelled() else output.result()
    return ExecResult(
        stdout=stdout.decode("utf-8", "replace"),
        stderr=stderr.decode("utf-8", "replace"),
        code=await process.wait(),
        timed_out=not in_time,
    )


async def _started(argv: Sequence[str], cwd: Path) -> asyncio.subprocess.Process:
    """Start it. A cancellation meanwhile ends what has begun, with all that it may have started by then."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait((starting,))
        if starting.exception() is None:
            process = starting.result()
            await _end(process, asyncio.ensure_future(process.communicate()))
        raise


async def _end(process: asyncio.subprocess.Process, output: asyncio.Future[tuple[bytes, bytes]]) -> None:
    ProcessTree(process.pid).kill()
    # Something that left the group may hold the pipes; what it says is nobody's concern any more.
    await asyncio.wait((output,), timeout=_DRAIN)
    output.cancel()
    await asyncio.wait((output,))
