"""Serving any number of clients over streamable HTTP, on this machine only."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

__all__ = ["serve_http"]

_HOST = "127.0.0.1"
_GRACE_SECONDS = 2


class _Uvicorn(uvicorn.Server):
    """Leaves the signals to whoever runs the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def serve_http(server: Server, port: int, announce: Callable[[str], object]) -> None:
    """Serve until cancelled.

    Requests whose ``Host`` or ``Origin`` is not of this machine are refused: no web page can have a browser
    make them under a name that it has pointed here.

    Args:
        server: What answers.
        port: Where; 0 takes one that is free.
        announce: Told the address once it listens.

    Raises:
        OSError: the port is taken, or may not be used.
    """
    listening = _listen(port)
    address = f"http://{_HOST}:{listening.getsockname()[1]}/mcp"
    config = uvicorn.Config(
        server.streamable_http_app(host=_HOST),
        log_config=None,
        access_log=False,
        log_level="critical",  # a stream that the end cuts off is no error
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    web = _Uvicorn(config)
    running = asyncio.create_task(web.serve(sockets=[listening]))
    try:
        announce(address)
        await asyncio.shield(running)
    finally:
        web.should_exit = True
        await asyncio.wait({running}, timeout=2 * _GRACE_SECONDS)
        running.cancel()
        listening.close()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_HOST, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening
