"""JSON mode: the session's header, then every event of the session, one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, BinaryIO

import attrs

from pihost.events import MessageUpdateEvent
from pihost.jsonlines import decode, encode
from pihost.modes.outcome import Outcome

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["JsonMode", "event_record"]

_DEEPEST = 16
"""How deep a value without a JSON form is searched for the parts that have one."""


def event_record(event: Event) -> Mapping[str, Any]:
    """An event as the object that stands for it in the stream, its type first.

    An update carries what came just now and not the whole message again.
    """
    fields = attrs.asdict(event, recurse=False)
    if isinstance(event, MessageUpdateEvent):
        fields.pop("message")
    return {"type": event.hook_name, **fields}


class JsonMode:
    """Prints a session's header and the events of its stream as JSON Lines.

    What carries a provider's payload or headers is no event of the stream: it may hold keys.

    Args:
        out: Gets the lines, in UTF-8, each flushed.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting: list[Event] = []
        self._begun = False

    def follow(self, host: Host) -> None:
        """Collect the events of ``host`` from now on; before its session starts."""
        host.subscribe(self._waiting.append)

    async def run(self, host: Host, prompts: Sequence[Prompt]) -> int:
        """Run the prompts.

        Args:
            host: A host whose session has started.
            prompts: What to say, in order. The first one that fails ends the run, and so does an extension
                that asks for the end.

        Returns:
            0, or 1 where a run failed.
        """
        self._begun = True
        self._print(host.session.store.header)
        for prompt in prompts:
            outcome = Outcome()
            async with aclosing(host.session.prompt(prompt.text, images=prompt.images)) as events:
                async for event in events:
                    outcome.take(event)
                    self._print_waiting()
            if outcome.failure is not None:
                return 1
            if host.shutdown_requested:
                break
        return 0

    def finish(self) -> None:
        """Print what the end of the session has brought, once the host is closed."""
        if self._begun:
            self._print_waiting()

    def _print_waiting(self) -> None:
        waiting, self._waiting[:] = self._waiting[:], []
        for event in waiting:
            self._print(event_record(event))

    def _print(self, record: Any) -> None:
        self._out.write(_line(record) + b"\n")
        self._out.flush()


def _line(record: Any) -> bytes:
    try:
        return encode(record)
    except (TypeError, RecursionError):
        return encode(_plain(record))


def _plain(value: Any, depth: int = 0) -> Any:
    """The value in its shape, with what has no JSON form in it, such as a tool's details, put as text."""
    try:
        return decode(encode(value))
    except (TypeError, RecursionError):
        if depth == _DEEPEST:
            return repr(value)
    if attrs.has(type(value)):
        value = attrs.asdict(value, recurse=False)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return repr(value)
