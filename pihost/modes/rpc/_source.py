"""What the client says, as it comes, without keeping the event loop from its other work."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator

__all__ = ["own_input", "pieces"]

_STDIN = 0
_PIECE_BYTES = 65536


@contextlib.contextmanager
def own_input() -> Iterator[int]:
    """While it is open, anybody else who reads standard input finds it empty.

    Yields:
        A descriptor of the real standard input.
    """
    real = os.dup(_STDIN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    try:
        yield real
    finally:
        os.dup2(real, _STDIN)
        os.close(real)


async def pieces(descriptor: int) -> AsyncIterator[bytes]:
    """What comes on ``descriptor``, up to its end. Nothing is read ahead of whoever iterates."""
    while True:
        try:
            await _readable(descriptor)
        except PermissionError:  # a file, which never lets anybody wait
            await asyncio.sleep(0)
        try:
            piece = os.read(descriptor, _PIECE_BYTES)
        except BlockingIOError:  # somebody else reads the same pipe
            continue
        except OSError:  # a terminal or a connection that is gone
            return
        if not piece:
            return
        yield piece


async def _readable(descriptor: int) -> None:
    """Return once a read returns at once: with bytes, or because the end has come.

    Raises:
        PermissionError: it cannot be waited for.
    """
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
