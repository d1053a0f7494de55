"""JSON mode: the session's header, then every event of the session, one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from pihost.modes.outcome import Outcome
from pihost.protocol.records import event_record, header_record, line_of

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["JsonMode"]


class JsonMode:
    """Prints a session's header and the events of its stream as JSON Lines; and of the next one's.

    What carries a provider's payload or headers is no event of the stream: it may hold keys.

    Args:
        out: Gets the lines, in UTF-8, each flushed.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting: list[Mapping[str, Any]] = []
        self._session_id: str | None = None
        self._begun = False

    def follow(self, host: Host) -> None:
        """Collect the events of ``host`` from now on; before its session starts."""
        host.subscribe(partial(self._take, host))

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
        self._take_header(host)
        self._print_waiting()
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

    def _take(self, host: Host, event: Event) -> None:
        self._take_header(host)
        self._waiting.append(event_record(event))

    def _take_header(self, host: Host) -> None:
        """The header of the session, where it is another one than before."""
        if host.session.id != self._session_id:
            self._session_id = host.session.id
            self._waiting.append(header_record(host.session.store.header))

    def _print_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for record in waiting:
            self._out.write(line_of(record))
        self._out.flush()
