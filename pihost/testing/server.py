"""A server on loopback that gives set answers, so that a provider is tested against real bytes of HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

import attrs

__all__ = ["Received", "Reply", "ScriptedServer", "server_sent_events"]

_START_SECONDS = 10.0


@attrs.frozen(kw_only=True)
class Received:
    """A request that came.

    Attributes:
        method: Its method.
        path: Its path, with the query.
        headers: Its headers, names in lower case.
        body: Its bytes.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def payload(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)


def _parts(value: bytes | Iterable[bytes | float]) -> tuple[bytes | float, ...]:
    return (value,) if isinstance(value, bytes) else tuple(value)


@attrs.frozen(kw_only=True)
class Reply:
    """An answer, sent in chunks.

    Attributes:
        status: Its status.
        headers: Its headers besides those of the transfer.
        parts: Bytes, each sent as a chunk of its own, and numbers: seconds to wait before the next.
        complete: Whether the end is marked; without it the connection just closes.
    """

    status: int = 200
    headers: Mapping[str, str] = attrs.field(factory=lambda: {"content-type": "text/event-stream"})
    parts: tuple[bytes | float, ...] = attrs.field(default=(), converter=_parts)
    complete: bool = True

    @classmethod
    def of_json(cls, value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """An answer that is one JSON value.

        Args:
            value: The value.
            status: Its status.
            headers: Further headers.
        """
        return cls(
            status=status,
            headers={"content-type": "application/json", **(headers or {})},
            parts=json.dumps(value).encode(),
        )


def server_sent_events(
    events: Iterable[Mapping[str, Any] | str], *, end: str = "\n", split: int | None = None
) -> tuple[bytes, ...]:
    """Events as the chunks of an answer.

    Args:
        events: Each a mapping, whose ``type`` becomes the event's name if it has one, or text as it is.
        end: The end of lines.
        split: Bytes of each chunk; ``None`` sends every event as one.
    """
    frames = [_frame(event, end) for event in events]
    if split is None:
        return tuple(frames)
    whole = b"".join(frames)
    return tuple(whole[start : start + split] for start in range(0, len(whole), split))


def _frame(event: Mapping[str, Any] | str, end: str) -> bytes:
    if isinstance(event, str):
        return f"data: {event}{end}{end}".encode()
    name = f"event: {event['type']}{end}" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}{end}{end}".encode()


class ScriptedServer:
    """Answers requests with what it was handed, in turn, from a thread of its own. A context manager.

    Attributes:
        received: The requests so far.
        cut_off: How many clients went away before their answer was complete.
    """

    def __init__(self) -> None:
        self._replies: deque[Reply | Callable[[Received], Reply]] = deque()
        self._otherwise: Reply | Callable[[Received], Reply] = Reply.of_json(
            {"error": {"message": "the scripted server has no answer left"}}, status=500
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)
        self._ready = threading.Event()
        self._port = 0
        self.received: list[Received] = []
        self.cut_off = 0

    def __enter__(self) -> Self:
        """Begin to listen."""
        self._thread.start()
        if not self._ready.wait(_START_SECONDS):
            raise TimeoutError("the scripted server did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, and close every connection."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def answer(self, *replies: Reply | Callable[[Received], Reply]) -> None:
        """Add answers, one for each further request.

        Args:
            replies: Answers, or functions that make one of a request.
        """
        self._replies.extend(replies)

    def otherwise(self, reply: Reply | Callable[[Received], Reply]) -> None:
        """Say what to answer when no other answer is left.

        Args:
            reply: The answer, or a function that makes one of a request.
        """
        self._otherwise = reply

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.received.append(request)
                reply = self._replies.popleft() if self._replies else self._otherwise
                if not await self._send(reply(request) if callable(reply) else reply, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.cut_off += 1
        finally:
            writer.close()

    async def _send(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        headers = {**reply.headers, "transfer-encoding": "chunked"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{lines}\r\n".encode())
        for part in reply.parts:
            if isinstance(part, bytes):
                writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                await writer.drain()
            else:
                await self._wait(part, reader)
        if reply.complete:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return reply.complete

    async def _wait(self, seconds: float, reader: asyncio.StreamReader) -> None:
        """Wait, unless the client goes away meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                if not await reader.read(1):
                    raise ConnectionResetError
        except TimeoutError:
            return


async def _read(reader: asyncio.StreamReader) -> Received | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name
    }
    method, path, _version = first.split(" ")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method=method, path=path, headers=headers, body=body)
