"""The process that serves: its lines, the last of its standard error, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from pihost.protocol.lines import LineFault, LineSplitter
from pihost.rpc_client._errors import RpcConnectionError

__all__ = ["Server"]

_PIECE_BYTES = 65536
_STDERR_BYTES = 16384
"""How much of standard error is kept for messages: the last of it."""
_PATIENCE_SECONDS = 5.0
"""How long each way of ending the process has."""
_MAX_LINE_BYTES = 256 * 1024 * 1024


class Server:
    """A process that speaks rpc mode.

    Args:
        process: The process, with pipes for all three streams.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._stdin = cast(asyncio.StreamWriter, process.stdin)
        self._stdout = cast(asyncio.StreamReader, process.stdout)
        self._stderr = bytearray()
        self._listening = asyncio.get_running_loop().create_task(self._keep_stderr())

    @classmethod
    async def start(
        cls, argv: Sequence[str], *, cwd: str | Path | None, env: Mapping[str, str] | None
    ) -> Server:
        """Start the process.

        Args:
            argv: The program and its arguments.
            cwd: The directory to start in; ``None`` is the caller's.
            env: Its environment; ``None`` is the caller's.

        Raises:
            RpcConnectionError: it cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, cwd=cwd, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE
            )
        except OSError as fault:
            raise RpcConnectionError(f"{os.fspath(argv[0])} cannot be started: {fault}") from fault
        return cls(process)

    async def send(self, line: bytes) -> None:
        """Write a line.

        Raises:
            RpcConnectionError: nobody reads it.
        """
        try:
            self._stdin.write(line)
            await self._stdin.drain()
        except (ConnectionError, RuntimeError) as fault:  # RuntimeError: it was closed before
            raise await self.fault() from fault

    async def lines(self) -> AsyncIterator[bytes]:
        """Its lines, up to its end.

        Raises:
            RpcConnectionError: one of them is longer than any record.
        """
        splitter = LineSplitter(_MAX_LINE_BYTES)
        while piece := await self._stdout.read(_PIECE_BYTES):
            for line in splitter.feed(piece):
                if isinstance(line, LineFault):
                    raise RpcConnectionError(f"the server's answer cannot be read: {line.reason}")
                yield line

    async def fault(self) -> RpcConnectionError:
        """What there is to say of its end, for whoever still waits for an answer."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _PATIENCE_SECONDS)
        await asyncio.wait({self._listening}, timeout=_PATIENCE_SECONDS)
        code = self._process.returncode
        reason = "the server closed the connection" if code is None else f"the server ended with code {code}"
        return RpcConnectionError(reason, code, self._stderr.decode("utf-8", errors="replace"))

    @property
    def exit_code(self) -> int | None:
        """The process's exit code; ``None`` while it lives."""
        return self._process.returncode

    async def end(self) -> None:
        """End the process: by closing its input, else by SIGTERM, else by SIGKILL."""
        try:
            with contextlib.suppress(ConnectionError):
                self._stdin.close()
            for harder in (self._process.terminate, self._process.kill):
                if await self._has_ended():
                    break
                with contextlib.suppress(ProcessLookupError):
                    harder()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            raise
        finally:
            await self._process.wait()
            await asyncio.wait({self._listening}, timeout=_PATIENCE_SECONDS)
            self._listening.cancel()

    async def _has_ended(self) -> bool:
        try:
            await asyncio.wait_for(self._process.wait(), _PATIENCE_SECONDS)
        except TimeoutError:
            return False
        return True

    async def _keep_stderr(self) -> None:
        stream = cast(asyncio.StreamReader, self._process.stderr)
        while piece := await stream.read(_PIECE_BYTES):
            self._stderr += piece
            del self._stderr[:-_STDERR_BYTES]
