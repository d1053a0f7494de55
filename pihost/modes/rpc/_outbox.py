"""Records that wait to be written: so many and no more, however slowly the client reads.

Past the limit commands wait, and events are left out, with a record ``events_lost`` in their place; only
``agent_settled`` never is. Before that, pieces of an answer that follow one another become one, and of
the updates of one tool call only the last waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from pihost.events import Event, MessageUpdateEvent, ToolExecutionUpdateEvent
from pihost.modes.rpc._waiting import Deltas, Line, Loss, Waiting
from pihost.protocol.records import event_record, line_of

__all__ = ["MAX_WAITING_BYTES", "Outbox"]

MAX_WAITING_BYTES = 64 * 1024 * 1024
"""How much may wait to be written before events are left out."""

_PIECE_BYTES = 65536


class Outbox:
    """A queue from the event loop to the thread that writes.

    All but ``take`` and ``discard`` belongs to the loop.

    Args:
        max_bytes: How much may wait.
    """

    def __init__(self, max_bytes: int = MAX_WAITING_BYTES) -> None:
        self._max_bytes = max_bytes
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._queue: deque[Waiting] = deque()
        self._updates: dict[str, Line] = {}
        self._bytes = 0
        self._closed = False
        self._room = asyncio.Event()
        self._room.set()

    def put(self, record: Mapping[str, Any]) -> None:
        """Let a record wait that must not be left out. Whoever puts many awaits ``room`` before."""
        self._append(Line(line_of(record)))

    def offer(self, record: Mapping[str, Any]) -> None:
        """Let a record wait; where too much waits, it is left out."""
        if self._has_room():
            self.put(record)

    def put_event(self, event: Event) -> None:
        """Let an event wait; of updates as few as say the same. Where too much waits, it is left out."""
        if event.hook_name == "agent_settled" or self._has_room():
            self._put_event(event)

    async def room(self) -> None:
        """Return as soon as less waits than may."""
        await self._room.wait()

    def close(self) -> None:
        """Take nothing more; what waits is still written."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def discard(self) -> None:
        """Take nothing more and forget what waits: nobody reads it."""
        with self._changed:
            self.close()
            self._queue.clear()
            self._bytes = 0
        self._tell_room()

    def take(self) -> bytes | None:
        """What is to be written next; ``None`` once all is written and no more comes. Waits for either."""
        with self._changed:
            while not self._queue:
                if self._closed:
                    return None
                self._changed.wait()
            was_full = self._bytes >= self._max_bytes
            lines = [self._popped()]
            while self._queue and sum(map(len, lines)) < _PIECE_BYTES:
                lines.append(self._popped())
            has_room = self._bytes < self._max_bytes
        if was_full and has_room:
            self._tell_room()
        return b"".join(lines)

    def _put_event(self, event: Event) -> None:
        if isinstance(event, MessageUpdateEvent):
            self._put_update(event)
        elif isinstance(event, ToolExecutionUpdateEvent):
            self._put_progress(event.tool_call_id, line_of(event_record(event)))
        else:
            self.put(event_record(event))

    def _put_update(self, event: MessageUpdateEvent) -> None:
        with self._changed:
            last = self._queue[-1] if self._queue else None
            before = last.size if last is not None else 0
            if isinstance(last, Deltas) and last.join(event.delta):
                self._bytes += last.size - before
                self._judge_room()
            else:
                self._append(Deltas(event.delta))

    def _put_progress(self, call_id: str, line: bytes) -> None:
        """Let the progress of a tool call wait, in the place of an earlier one where it still does."""
        with self._changed:
            earlier = self._updates.get(call_id)
            if earlier is None:
                self._updates[call_id] = Line(line, call_id)
                self._append(self._updates[call_id])
            else:
                self._bytes += len(line) - earlier.size
                earlier.replace(line)
                self._judge_room()

    def _has_room(self) -> bool:
        """Whether less waits than may; what comes where it does not is counted as lost."""
        with self._changed:
            if self._bytes < self._max_bytes:
                return True
            if not self._queue or not isinstance(self._queue[-1], Loss):
                self._append(Loss())
            last = self._queue[-1]
            if isinstance(last, Loss):
                last.count += 1
            return False

    def _append(self, waiting: Waiting) -> None:
        with self._changed:
            if self._closed:
                return
            self._queue.append(waiting)
            self._bytes += waiting.size
            self._judge_room()
            self._changed.notify()

    def _popped(self) -> bytes:
        waiting = self._queue.popleft()
        self._bytes -= waiting.size
        if isinstance(waiting, Line) and waiting.update_of is not None:
            del self._updates[waiting.update_of]
        return waiting.taken()

    def _tell_room(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever waited
            self._loop.call_soon_threadsafe(self._judge_room)

    def _judge_room(self) -> None:
        if self._bytes < self._max_bytes:
            self._room.set()
        else:
            self._room.clear()
