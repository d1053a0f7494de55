"""Dialogs on a terminal: the same for extensions and for the question of trust."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText

from pihost.context import NotifyLevel
from pihost.display import visible

__all__ = ["TerminalUI"]


class TerminalUI:
    """Asks in the terminal, one question at a time; Ctrl-C and Ctrl-D dismiss it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the user type the number of one of ``options``; what is no number of one is asked for again."""
        if not options:
            return None
        async with self._turn:
            self._print(title)
            for number, option in enumerate(options, 1):
                self._print(f"  {number}. {option}")
            return await self._chosen(options)

    async def confirm(self, title: str, message: str) -> bool:
        """Ask yes or no; anything but ``y`` or ``yes`` is no."""
        async with self._turn:
            self._print(title)
            answer = await self._ask(f"{message} [y/N] ")
        return answer is not None and answer.strip().lower() in ("y", "yes")

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text."""
        async with self._turn:
            self._print(title)
            return await self._ask("> ", placeholder)

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Print the notice."""
        self._print(message if level == "info" else f"{level.capitalize()}: {message}")

    def set_status(self, key: str, text: str | None) -> None:
        """Print the status, since a plain terminal has no line for it."""
        if text:
            self._print(f"{key}: {text}")

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
