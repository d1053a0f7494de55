"""Print mode: the prompts run one after another, each answer goes to stdout, everything else to stderr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from pihost.events import MessageEndEvent
from pihost.messages import AssistantMessage

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["describe_fault", "run_print"]

Say = Callable[[str, str], None]
"""Prints a line of a kind (``error``, ``warning``) for the user; see the command line's report."""


async def run_print(host: Host, prompts: Sequence[Prompt], *, out: TextIO, say: Say) -> int:
    """Run the prompts and print what the model answered at the end of each.

    Args:
        host: A host whose session has started.
        prompts: What to say, in order. The first one that fails ends the run.
        out: Gets the answers and nothing else.
        say: Gets failures, blocks and errors of extensions, after the answer they belong to.

    Returns:
        0, or 1 where a run failed.
    """
    for prompt in prompts:
        answer: AssistantMessage | None = None
        faults: list[str] = []
        async for event in host.session.prompt(prompt.text, images=prompt.images):
            if isinstance(event, MessageEndEvent) and isinstance(event.message, AssistantMessage):
                answer = event.message
            elif fault := describe_fault(event):
                faults.append(fault)
        _print_answer(answer, out)
        for fault in faults:
            say("warning", fault)
        if answer is not None and answer.stop_reason in ("error", "aborted"):
            say("error", answer.error_message or "the run was aborted")
            return 1
    return 0


def _print_answer(answer: AssistantMessage | None, out: TextIO) -> None:
    if answer is not None and answer.text:
        out.write(answer.text if answer.text.endswith("\n") else f"{answer.text}\n")
        out.flush()


def describe_fault(event: Event) -> str | None:
    """A sentence for an event that tells of a fault or a block; ``None`` for any other."""
    if event.name not in ("extension_error", "tool_blocked"):
        return None
    from pihost.events import ExtensionErrorEvent, ToolBlockedEvent

    if isinstance(event, ExtensionErrorEvent):
        return f"Extension {event.extension!r} failed in {event.event}: {event.error}"
    if isinstance(event, ToolBlockedEvent):
        return f"Extension {event.extension!r} blocked {event.tool_name}: {event.reason}"
    return None
