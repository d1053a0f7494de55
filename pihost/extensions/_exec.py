"""Runs a program for an extension, to its end, with its output up to a limit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.tools.shell.process import run_process

__all__ = ["MOST_BYTES", "ExecResult", "run_program"]

MOST_BYTES = 16 << 20
"""Bytes that are kept of each stream: 16 MiB. A program that never stops talking must not fill the memory."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExecResult(Value):
    """What became of a program.

    Attributes:
        stdout: What it printed, at most the first 16 MiB, undecodable bytes as U+FFFD.
        stderr: What it complained about, the same way.
        code: Its exit code; negative for the signal that ended it.
        timed_out: It was ended for taking too long.
        truncated: It wrote more to one of the two than is kept. The rest was read and thrown away.
    """

    stdout: str
    stderr: str
    code: int
    timed_out: bool = False
    truncated: bool = False


class _Kept:
    """The beginning of a stream."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.truncated = False

    def take(self, chunk: bytes) -> None:
        room = MOST_BYTES - len(self._data)
        self._data += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room

    def text(self) -> str:
        return self._data.decode("utf-8", "replace")


async def run_program(argv: Sequence[str], *, cwd: Path, timeout: float | None) -> ExecResult:  # noqa: ASYNC109 -- a result says so, nothing is raised
    """Run a program to its end, or to the end of its time; see ``run_process`` for what it leaves running.

    Args:
        argv: The program and its arguments; no shell reads them.
        cwd: Where it runs.
        timeout: Seconds; ``None`` is no limit.

    Raises:
        OSError: it cannot be started.
    """
    stdout, stderr = _Kept(), _Kept()
    end = await run_process(
        argv, cwd=cwd, env=os.environ, on_output=stdout.take, on_errors=stderr.take, timeout=timeout
    )
    return ExecResult(
        stdout=stdout.text(),
        stderr=stderr.text(),
        code=end.returncode,
        timed_out=end.timed_out,
        truncated=stdout.truncated or stderr.truncated,
    )
