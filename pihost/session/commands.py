"""Commands of extensions: a prompt that begins with a slash is looked up and run instead of said."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, Protocol

from pihost.context import ContextAround, ExtensionContext, SessionChange
from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.extensions.faults import error_of, passes_through
from pihost.extensions.registrations import RegisteredCommand

__all__ = ["SessionCommandContext", "SessionControls", "parse_command", "run_command"]


class SessionControls(Protocol):
    """What a command can ask of the host. The methods of ``Host`` fit; they say what each does."""

    async def new_session(self) -> SessionChange:
        """Begin a new session in the place of this one."""
        ...

    async def fork(self, entry_id: str, position: Literal["before", "at"] = "at") -> SessionChange:
        """Go on in a new session with the branch up to an entry."""
        ...

    async def navigate_tree(self, entry_id: str) -> SessionChange:
        """Go on from another entry of this session."""
        ...

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with the session in a file."""
        ...

    async def reload(self) -> tuple[Diagnostic, ...]:
        """Load every extension anew; what that found wrong."""
        ...


class SessionCommandContext(ContextAround):
    """The ``CommandContext`` of a session.

    Args:
        context: The session around the command.
        wait_for_idle: Returns once no run is under way.
        controls: What can be asked of the host.
    """

    def __init__(
        self,
        context: ExtensionContext,
        *,
        wait_for_idle: Callable[[], Awaitable[None]],
        controls: SessionControls,
    ) -> None:
        super().__init__(context)
        self._wait_for_idle = wait_for_idle
        self._controls = controls

    async def wait_for_idle(self) -> None:
        """Return once no run is under way."""
        await self._wait_for_idle()

    async def new_session(self) -> SessionChange:
        """Begin a new session in the place of this one. The API and this context are dead afterwards."""
        return await self._alive().new_session()

    async def fork(self, entry_id: str, position: Literal["before", "at"] = "at") -> SessionChange:
        """Go on in a new session with the branch up to an entry; this one stays as it is.

        The API and this context are dead afterwards.

        Args:
            entry_id: The entry.
            position: Whether the new session ends with it or before it.
        """
        return await self._alive().fork(entry_id, position)

    async def navigate_tree(self, entry_id: str) -> SessionChange:
        """Go on from another entry of this session."""
        return await self._alive().navigate_tree(entry_id)

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with the session in a file, in its own directory.

        The API and this context are dead afterwards.
        """
        return await self._alive().switch_session(path)

    async def reload(self) -> None:
        """Discover and load every extension anew. The API and this context are dead afterwards."""
        await self._alive().reload()

    def _alive(self) -> SessionControls:
        """The controls, unless this context belongs to a session that was replaced."""
        _ = self.cwd  # raises where it does
        return self._controls


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
