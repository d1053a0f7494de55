"""JSON mode: the session's header, then every event of the session, one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import attrs

from pihost.events import (
    AgentEndEvent,
    AgentSettledEvent,
    AgentStartEvent,
    ExtensionErrorEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ModelSelectEvent,
    SessionInfoChangedEvent,
    ThinkingLevelSelectEvent,
    ToolBlockedEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    TrustRefusedEvent,
    TurnEndEvent,
    TurnStartEvent,
)
from pihost.jsonlines import encode
from pihost.messages import AssistantMessage

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["SHOWN_EVENTS", "event_record", "run_json"]

SHOWN_EVENTS: tuple[type[Event], ...] = (
    AgentStartEvent,
    AgentEndEvent,
    AgentSettledEvent,
    TurnStartEvent,
    TurnEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    MessageEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolExecutionEndEvent,
    SessionInfoChangedEvent,
    ModelSelectEvent,
    ThinkingLevelSelectEvent,
    ExtensionErrorEvent,
    ToolBlockedEvent,
    TrustRefusedEvent,
)
"""The events of the stream. What carries a provider's payload or headers is not there: it may hold keys."""


def event_record(event: Event) -> Mapping[str, Any]:
    """An event as the object that stands for it in the stream, its type first.

    An update carries what came just now and not the whole message again.
    """
    fields = attrs.asdict(event, recurse=False)
    if isinstance(event, MessageUpdateEvent):
        fields.pop("message")
    return {"type": event.name, **fields}


async def run_json(host: Host, prompts: Sequence[Prompt], *, out: BinaryIO) -> int:
    """Run the prompts and print the session's header and events as JSON Lines.

    Args:
        host: A host whose session has started.
        prompts: What to say, in order. The first one that fails ends the run.
        out: Gets the lines, in UTF-8, each flushed.

    Returns:
        0, or 1 where a run failed.
    """
    _write(out, host.session.store.header)
    for event in host.early_events:
        _write(out, event_record(event))
    for prompt in prompts:
        failed = False
        async for event in host.session.prompt(prompt.text, images=prompt.images):
            if isinstance(event, SHOWN_EVENTS):
                _write(out, event_record(event))
            if isinstance(event, MessageEndEvent) and isinstance(event.message, AssistantMessage):
                failed = event.message.stop_reason in ("error", "aborted")
        if failed:
            return 1
    return 0


def _write(out: BinaryIO, record: Any) -> None:
    out.write(encode(record) + b"\n")
    out.flush()
