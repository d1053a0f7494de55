"""Interactive mode: a prompt, the answer, and again, until the user leaves."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession

from pihost.events import (
    MessageEndEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
)
from pihost.messages import AssistantMessage, TextDelta
from pihost.modes.print_mode import describe_fault

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["run_interactive"]

SHOWN_LINES = 20
"""How many lines of a tool's result a person is shown."""


async def run_interactive(host: Host, opening: Sequence[Prompt]) -> int:
    """Talk with the user until they leave with Ctrl-D or ``/quit``.

    ``!command`` runs a shell command of the user's own; ``!!command`` does so without telling the model.
    Ctrl-C ends the run under way.

    Args:
        host: A host whose session has started.
        opening: What to say before the user is asked.

    Returns:
        0.
    """
    for prompt in opening:
        await _show(host, host.session.prompt(prompt.text, images=prompt.images))
    lines: PromptSession[str] = PromptSession()
    while not host.shutdown_requested:
        try:
            text = (await lines.prompt_async(f"{host.config.app_name}> ")).strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        if text in ("/quit", "/exit"):
            break
        if text.startswith("!"):
            await _run_command(host, text)
        elif text:
            await _show(host, host.session.prompt(text))
    return 0


async def _run_command(host: Host, text: str) -> None:
    hidden = text.startswith("!!")
    with _interruptible(host):
        result = await host.session.user_bash(text.lstrip("!").strip(), exclude_from_context=hidden)
    _write(result.text)


async def _show(host: Host, events: AsyncIterator[Event]) -> None:
    with _interruptible(host):
        async for event in events:
            _show_event(event)


def _show_event(event: Event) -> None:
    fault = describe_fault(event)
    if fault is not None:
        _write(f"Warning: {fault}")
    elif isinstance(event, MessageUpdateEvent) and isinstance(event.delta, TextDelta):
        sys.stdout.write(event.delta.text)
        sys.stdout.flush()
    elif isinstance(event, MessageEndEvent) and isinstance(event.message, AssistantMessage):
        _write(event.message.error_message or "")
    elif isinstance(event, ToolExecutionStartEvent):
        _write(f"→ {event.tool_name} {dict(event.args)}")
    elif isinstance(event, ToolExecutionEndEvent) and event.is_error:
        _write("\n".join(event.result.text.splitlines()[:SHOWN_LINES]))


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@contextmanager
def _interruptible(host: Host) -> Iterator[None]:
    """While a run is under way, Ctrl-C ends it and not the program."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, lambda: loop.create_task(host.session.abort()))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
