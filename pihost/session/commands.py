"""Commands of extensions: a prompt that begins with a slash is looked up and run instead of said."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from pihost.context import ContextAround, ExtensionContext
from pihost.diagnostics import ExtensionError
from pihost.extensions._faults import error_of, passes_through
from pihost.extensions.registrations import RegisteredCommand

__all__ = ["SessionCommandContext", "parse_command", "run_command"]


class SessionCommandContext(ContextAround):
    """The ``CommandContext`` of a session.

    Args:
        context: The session around the command.
        wait_for_idle: Returns once no run is under way.
        reload: Loads every extension anew.
    """

    def __init__(
        self,
        context: ExtensionContext,
        *,
        wait_for_idle: Callable[[], Awaitable[None]],
        reload: Callable[[], Awaitable[object]],
    ) -> None:
        super().__init__(context)
        self._wait_for_idle = wait_for_idle
        self._reload = reload

    async def wait_for_idle(self) -> None:
        """Return once no run is under way."""
        await self._wait_for_idle()

    async def reload(self) -> None:
        """Discover and load every extension anew. The API and this context are dead afterwards."""
        await self._reload()


def parse_command(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a text that is a command by its form, else ``None``."""
    if not text.startswith("/") or not text[1:2].strip():
        return None
    name, *arguments = text[1:].split(maxsplit=1)
    return name, "".join(arguments).strip()


async def run_command(
    command: RegisteredCommand,
    arguments: str,
    context: SessionCommandContext,
    report: Callable[[ExtensionError], object],
) -> None:
    """Run a command. A failure of it is reported and not raised.

    Args:
        command: What to run.
        arguments: What follows its name.
        context: The session around it.
        report: Takes the failure.
    """
    try:
        answer = command.handler(arguments, context)
        if inspect.isawaitable(answer):
            await answer
    except BaseException as fault:
        if passes_through(fault):
            raise
        report(error_of(command.extension, f"command {command.name}", fault))
