"""A server's process, its pipes, and the end of it and of whatever it has started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

__all__ = ["Child", "running"]

_MOST_HELD = 4 * 1024 * 1024
"""Bytes of output that wait to be read before the process is made to wait."""
_AFTER_CLOSING = 1.0
_AFTER_TERM = 1.5
_AFTER_KILL = 1.0
_AFTER_EXIT = 0.2
"""Seconds in which what is still in the pipe is read; a child of its own may hold that open for ever."""


class Child(asyncio.SubprocessProtocol):
    """A process in a group of its own.

    Args:
        errors: Takes what it writes to its standard error.
    """

    def __init__(self, errors: Callable[[bytes], None]) -> None:
        self._errors = errors
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._news = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._output_ended = False
        self._errors_ended = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self.exited = asyncio.Event()

    @property
    def returncode(self) -> int | None:
        """How it ended; ``None`` while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    async def pieces(self) -> AsyncIterator[bytes]:
        """What it writes to its standard output, in pieces of any size, until it writes no more."""
        while True:
            while self._pieces:
                piece = self._pieces.popleft()
                self._held -= len(piece)
                if self._held <= _MOST_HELD < self._held + len(piece):
                    self._output().resume_reading()
                yield piece
            if self._output_ended:
                return
            self._news.clear()
            await self._news.wait()

    async def write(self, data: bytes) -> None:
        """Write to its standard input, and wait until it may take more.

        Raises:
            BrokenPipeError: it takes nothing more.
        """
        stream = self._input()
        if self.exited.is_set() or stream is None or stream.is_closing():
            raise BrokenPipeError
        stream.write(data)
        await self._writable.wait()

    def how_it_ended(self) -> str:
        """The end of it, in words."""
        code = self.returncode
        if code is None:
            return "closed its output"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return f"exited with code {code}"

    async def last_words(self) -> None:
        """Wait a moment for its end, and for all that it has said of it."""
        if await self._within(_AFTER_CLOSING, self.exited):
            await self._within(_AFTER_EXIT, self._errors_ended)

    async def stop(self) -> None:
        """End it and its group: politely, then less so. It takes four seconds at most."""
        if self._transport is None:
            return
        try:
            stream = self._input()
            if stream is not None:
                stream.close()
            if await self._within(_AFTER_CLOSING, self.exited):
                return
            self._signal("SIGTERM")
            if await self._within(_AFTER_TERM, self.exited):
                return
            self._signal("SIGKILL")
            await self._within(_AFTER_KILL, self.exited)
        finally:
            self._signal("SIGKILL")  # what it has started and left behind, and itself where this is cancelled
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take what the pipes are reached by."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep a piece of output."""
        if fd != 1:
            self._errors(data)
            return
        self._pieces.append(data)
        if self._held <= _MOST_HELD < self._held + len(data):
            self._output().pause_reading()
        self._held += len(data)
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's signature
        """Note that a pipe has ended."""
        if fd == 0:
            self._writable.set()
        elif fd == 1:
            self._end_output()
        else:
            self._errors_ended.set()

    def pause_writing(self) -> None:
        """Let writers wait: the pipe is full."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let them go on."""
        self._writable.set()

    def process_exited(self) -> None:
        """Note the end, and give up on output that does not end with it."""
        self.exited.set()
        self._writable.set()
        asyncio.get_running_loop().call_later(_AFTER_EXIT, self._end_output)

    def _end_output(self) -> None:
        self._output_ended = True
        self._news.set()

    def _input(self) -> asyncio.WriteTransport | None:
        pipe = None if self._transport is None else self._transport.get_pipe_transport(0)
        return cast("asyncio.WriteTransport | None", pipe)

    def _output(self) -> asyncio.ReadTransport:
        assert self._transport is not None  # noqa: S101 -- data comes through it
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))

    async def _within(self, seconds: float, event: asyncio.Event) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        return True

    def _signal(self, name: str) -> None:
        if self._transport is None:
            return
        with contextlib.suppress(
            ProcessLookupError, PermissionError
        ):  # the latter is macOS's word for a zombie
            if sys.platform == "win32":
                self._transport.kill()
            else:
                os.killpg(self._transport.get_pid(), signal.Signals[name])


@contextlib.asynccontextmanager
async def running(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, errors: Callable[[bytes], None]
) -> AsyncIterator[Child]:
    """Run a program until this is left.

    Args:
        argv: The program and its arguments.
        env: Its environment, and nothing else.
        cwd: Where it runs.
        errors: Takes what it writes to its standard error.

    Yields:
        Its process.

    Raises:
        OSError: it cannot be started.
    """
    loop = asyncio.get_running_loop()
    child = Child(errors)
    try:
        await loop.subprocess_exec(lambda: child, *argv, env=dict(env), cwd=cwd, start_new_session=True)
        yield child
    finally:
        await child.stop()
