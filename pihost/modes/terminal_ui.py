"""Dialogs on a terminal: the same for extensions and for the question of trust."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText

from pihost.context import NotifyLevel
from pihost.display import visible

__all__ = ["TerminalUI"]


async def _within(seconds: float | None, dialog: Awaitable[str | None]) -> str | None:
    """What a dialog is answered; ``None`` where the time runs out before."""
    try:
        async with asyncio.timeout(seconds):
            return await dialog
    except TimeoutError:
        return None


class TerminalUI:
    """Asks in the terminal, one question at a time; Ctrl-C and Ctrl-D dismiss it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Let the user type the number of one of ``options``; what is no number of one is asked for again."""
        return await _within(timeout, self._select(title, options)) if options else None

    async def confirm(
        self,
        title: str,
        message: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> bool:
        """Ask yes or no; anything but ``y`` or ``yes`` is no."""
        answer = await _within(timeout, self._answer(title, f"{message} [y/N] "))
        return answer is not None and answer.strip().lower() in ("y", "yes")

    async def input(
        self,
        title: str,
        placeholder: str = "",
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Ask for a line of text."""
        return await _within(timeout, self._answer(title, "> ", placeholder))

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Print the notice."""
        self._print(message if level == "info" else f"{level.capitalize()}: {message}")

    def set_status(self, key: str, text: str | None) -> None:
        """Print the status, since a plain terminal has no line for it."""
        if text:
            self._print(f"{key}: {text}")

    async def _select(self, title: str, options: Sequence[str]) -> str | None:
        async with self._turn:
            self._print(title)
            for number, option in enumerate(options, 1):
                self._print(f"  {number}. {option}")
            return await self._chosen(options)

    async def _answer(self, title: str, question: str, placeholder: str = "") -> str | None:
        async with self._turn:
            self._print(title)
            return await self._ask(question, placeholder)

    async def _chosen(self, options: Sequence[str]) -> str | None:
        while True:
            answer = (await self._ask(f"[1-{len(options)}, Enter to dismiss] ") or "").strip()
            if not answer:
                return None
            if answer.isdecimal() and 1 <= int(answer) <= len(options):
                return options[int(answer) - 1]
            self._print(f"{answer!r} is none of 1 to {len(options)}.")

    async def _ask(self, question: str, placeholder: str = "") -> str | None:
        session: PromptSession[str] = PromptSession()
        hint = FormattedText([("ansigray", placeholder)]) if placeholder else None
        try:
            return await session.prompt_async(visible(question), placeholder=hint)
        except (EOFError, KeyboardInterrupt):
            return None

    def _print(self, text: str) -> None:
        sys.stderr.write(f"{visible(text)}\n")
        sys.stderr.flush()
