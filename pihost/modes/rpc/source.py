"""What the client says, as it comes, without keeping the event loop from its other work."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
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
        except (PermissionError, NotImplementedError):  # a file cannot be waited for; on Windows, nothing can
            piece = await _read_in_thread(descriptor)
        else:
            piece = _read(descriptor)
        if piece == b"":
            return
        if piece is not None:
            yield piece


async def _readable(descriptor: int) -> None:
    """Return once a read returns at once: with bytes, or because the end has come.

    Raises:
        PermissionError: it cannot be waited for.
        NotImplementedError: the loop waits for no descriptor.
    """
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)


async def _read_in_thread(descriptor: int) -> bytes | None:
    """What a read brings, however long it takes. The thread keeps no process alive."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes | None] = loop.create_future()

    def work() -> None:
        piece = _read(descriptor)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_settle, read, piece)

    threading.Thread(target=work, name="pihost-rpc-reader", daemon=True).start()
    return await read


def _settle(read: asyncio.Future[bytes | None], piece: bytes | None) -> None:
    if not read.done():
        read.set_result(piece)


def _read(descriptor: int) -> bytes | None:
    """The next bytes, none at the end; ``None`` where there is nothing to be had just now."""
    try:
        return os.read(descriptor, _PIECE_BYTES)
    except BlockingIOError:  # somebody else reads the same pipe
        return None
    except OSError:  # a terminal or a connection that is gone
        return b""
