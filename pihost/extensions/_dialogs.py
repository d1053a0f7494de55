"""The user interface as extensions get it: dialogs are announced, and no time limit runs meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Literal

from pihost.context import UI, NotifyLevel
from pihost.events import Event

__all__ = ["AnnouncedUI"]


class AnnouncedUI:
    """A ``UI`` that fires ``ui_prompt_start`` and ``ui_prompt_end`` around each dialog.

    Args:
        ui: Who really asks.
        emit: Fires an event.
        paused: While it is open, the time limits of handlers stand still.
    """

    def __init__(
        self,
        ui: UI,
        *,
        emit: Callable[[Event], Awaitable[object]],
        paused: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._ui = ui
        self._emit = emit
        self._paused = paused

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Let the user pick one of ``options``."""
        async with self._dialog("select", title):
            return await self._ui.select(title, options, **_limit(timeout))

    async def confirm(
        self,
        title: str,
        message: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> bool:
        """Ask yes or no."""
        async with self._dialog("confirm", title):
            return await self._ui.confirm(title, message, **_limit(timeout))

    async def input(
        self,
        title: str,
        placeholder: str = "",
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Ask for a line of text."""
        async with self._dialog("input", title):
            return await self._ui.input(title, placeholder, **_limit(timeout))

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Show a notice."""
        self._ui.notify(message, level)

    def set_status(self, key: str, text: str | None) -> None:
        """Show ``text`` in the status line."""
        self._ui.set_status(key, text)

    @asynccontextmanager
    async def _dialog(self, kind: Literal["select", "confirm", "input"], title: str) -> AsyncIterator[None]:
        from pihost.events import UiPromptEndEvent, UiPromptStartEvent

        with self._paused():
            await self._emit(UiPromptStartEvent(kind=kind, title=title))
            try:
                yield
            finally:
                await self._emit(UiPromptEndEvent(kind=kind, title=title))


def _limit(timeout: float | None) -> dict[str, float]:
    """The argument that says so, where one is set: a ``UI`` without limits serves for all else."""
    return {} if timeout is None else {"timeout": timeout}
