"""Interactive mode: a prompt, the answer, and again, until the user leaves."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout

from pihost.display import visible
from pihost.errors import PihostError
from pihost.events import (
    CommandOutputEvent,
    MessageEndEvent,
    MessageUpdateEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
)
from pihost.messages import AssistantMessage, TextDelta
from pihost.modes.outcome import describe_fault

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["InteractiveMode"]

SHOWN_LINES = 20
"""How many lines of a tool's result a person is shown."""


class InteractiveMode:
    """Talks with the user at a terminal until they leave with ``/quit``, Ctrl-D, or Ctrl-C twice."""

    def follow(self, host: Host) -> None:
        """Show the events of ``host`` from now on; before its session starts."""
        host.subscribe(_show)

    async def run(self, host: Host, prompts: Sequence[Prompt]) -> int:
        """Ask and answer.

        ``!command`` runs a shell command of the user's own; ``!!command`` does so without telling the model.
        Ctrl-C ends what is under way.

        Args:
            host: A host whose session has started.
            prompts: What to say before the user is asked.

        Returns:
            0.
        """
        for prompt in prompts:
            await _guarded(_say(host, prompt))
        await _Conversation(host).hold()
        return 0

    def finish(self) -> None:
        """Nothing is left to tell: the end of the session was shown as it came."""


class _Conversation:
    """The questions and answers of one user.

    Args:
        host: A host whose session has started.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lines: PromptSession[str] = PromptSession()

    async def hold(self) -> None:
        """Ask until the user leaves or an extension asks for the end."""
        leaving = False
        while not self._host.shutdown_requested:
            try:
                text = (await self._line()).strip()
            except KeyboardInterrupt:
                if leaving:
                    return
                leaving = True
                _write("Press Ctrl-C again to leave.")
                continue
            except EOFError:
                return
            leaving = False
            if text in ("/quit", "/exit"):
                return
            await _guarded(self._do(text))

    async def _line(self) -> str:
        with _sigint_kept(), patch_stdout():
            return await self._lines.prompt_async(f"{self._host.config.app_name}> ")

    async def _do(self, text: str) -> None:
        command = text.lstrip("!").strip()
        if text.startswith("!"):
            if command:
                await _run_command(self._host, command, hidden=text.startswith("!!"))
        elif text:
            from pihost.modes.prompts import Prompt

            await _say(self._host, Prompt(text=text))


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    """Do something the user asked for; what cannot be done is said, and the conversation goes on."""
    try:
        await work
    except PihostError as fault:
        hint = getattr(fault, "hint", None)
        _write(f"Error: {fault}" if hint is None else f"Error: {fault}\n{hint}")


async def _run_command(host: Host, command: str, *, hidden: bool) -> None:
    task = asyncio.ensure_future(host.session.user_bash(command, exclude_from_context=hidden))
    with _interrupting(task.cancel), suppress(asyncio.CancelledError):
        _write((await task).text)
    if task.cancelled():
        _write("(interrupted)")


async def _say(host: Host, prompt: Prompt) -> None:
    with _interrupting(host.session.abort_soon):
        async with aclosing(host.session.prompt(prompt.text, images=prompt.images)) as events:
            async for _event in events:
                pass  # shown by the subscription, like the events that no prompt brings


def _show(event: Event) -> None:
    fault = describe_fault(event)
    if fault is not None:
        _write(f"Warning: {fault}")
    elif isinstance(event, CommandOutputEvent):
        _write(f"Error: {event.text}" if event.is_error else event.text)
    elif isinstance(event, MessageUpdateEvent) and isinstance(event.delta, TextDelta):
        sys.stdout.write(visible(event.delta.text))
        sys.stdout.flush()
    elif isinstance(event, MessageEndEvent) and isinstance(event.message, AssistantMessage):
        _write(event.message.error_message or "")
    elif isinstance(event, ToolExecutionStartEvent):
        _write(f"→ {event.tool_name} {dict(event.args)}")
    elif isinstance(event, ToolExecutionEndEvent) and event.is_error:
        _write("\n".join(event.result.text.splitlines()[:SHOWN_LINES]))


def _write(text: str) -> None:
    sys.stdout.write(f"{visible(text)}\n")
    sys.stdout.flush()


@contextmanager
def _interrupting(stop: Callable[[], object]) -> Iterator[None]:
    """While something is under way, Ctrl-C ends it and not the program."""
    loop = asyncio.get_running_loop()
    with _sigint_kept():
        loop.add_signal_handler(signal.SIGINT, stop)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


@contextmanager
def _sigint_kept() -> Iterator[None]:
    """Put back what SIGINT does: a loop that takes its handler away leaves Python's own."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
