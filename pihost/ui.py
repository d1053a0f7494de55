"""How an extension speaks with the user, and what it hears where nobody is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, runtime_checkable

__all__ = ["UI", "NoUI", "NoticesOnly", "NotifyLevel"]

NotifyLevel = Literal["info", "warning", "error"]
"""How loudly a notice is shown."""


@runtime_checkable
class UI(Protocol):
    """How an extension speaks with the user.

    A dialog that has a ``timeout`` is dismissed after so many seconds, as if the user had done it.
    """

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- running out is an answer, no exception
    ) -> str | None:
        """Let the user pick one of ``options``; ``None`` where they dismiss it or nobody is there."""
        ...

    async def confirm(
        self,
        title: str,
        message: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- running out is an answer, no exception
    ) -> bool:
        """Ask yes or no; ``False`` where the user dismisses it or nobody is there."""
        ...

    async def input(
        self,
        title: str,
        placeholder: str = "",
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- running out is an answer, no exception
    ) -> str | None:
        """Ask for a line of text; ``None`` where the user dismisses it or nobody is there."""
        ...

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Show a notice without waiting for anybody."""
        ...

    def set_status(self, key: str, text: str | None) -> None:
        """Show ``text`` under ``key`` in the status line until it is replaced; ``None`` takes it away."""
        ...


class NoUI:
    """The answers of a host that nobody is watching: no choice, no consent, no text."""

    async def select(
        self,
        title: str,  # noqa: ARG002 -- the protocol's names
        options: Sequence[str],  # noqa: ARG002 -- the protocol's names
        *,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- the protocol's names
    ) -> str | None:
        """Nobody chooses."""
        return None

    async def confirm(
        self,
        title: str,  # noqa: ARG002 -- the protocol's names
        message: str,  # noqa: ARG002 -- the protocol's names
        *,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- the protocol's names
    ) -> bool:
        """Nobody consents."""
        return False

    async def input(
        self,
        title: str,  # noqa: ARG002 -- the protocol's names
        placeholder: str = "",  # noqa: ARG002 -- the protocol's names
        *,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- the protocol's names
    ) -> str | None:
        """Nobody answers."""
        return None

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Nobody reads it."""

    def set_status(self, key: str, text: str | None) -> None:
        """Nobody reads it."""


class NoticesOnly(NoUI):
    """The answers of a host that somebody reads but nobody can be asked by: notices are shown, no more.

    A host with it has no UI as far as extensions are concerned: ``has_ui`` is false.

    Args:
        show: Takes a notice's level and its text.
    """

    def __init__(self, show: Callable[[NotifyLevel, str], None]) -> None:
        self._show = show

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Show the notice."""
        self._show(level, message)
