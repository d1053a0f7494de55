"""A user who gives set answers and whose questions are remembered."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Literal

import attrs

from pihost._values import Value
from pihost.context import NotifyLevel

__all__ = ["Dialog", "FakeUI"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Dialog(Value):
    """A question that was asked.

    Attributes:
        kind: What was asked for.
        title: The question.
        detail: The message of a ``confirm``, the placeholder of an ``input``; else empty.
        options: What could be chosen.
    """

    kind: Literal["select", "confirm", "input"]
    title: str
    detail: str = ""
    options: tuple[str, ...] = ()


class FakeUI:
    """A user interface whose user gives the answers put into their mouth, one a question.

    Without an answer left the user dismisses the question, as they may at any time. An answer to ``select``
    is one of its options, or the beginning of one; anything else dismisses too.

    Attributes:
        dialogs: The questions asked so far.
        notices: What was shown, as pairs of level and message.
        statuses: The status lines as they stand, by key.

    Args:
        answers: The first answers.
    """

    def __init__(self, *answers: str | bool | None) -> None:
        self._answers = deque(answers)
        self.dialogs: list[Dialog] = []
        self.notices: list[tuple[NotifyLevel, str]] = []
        self.statuses: dict[str, str] = {}

    def answer(self, *answers: str | bool | None) -> None:
        """Put further answers into the user's mouth.

        Args:
            answers: Text for ``select`` and ``input``, a truth value for ``confirm``, ``None`` to dismiss.
        """
        self._answers.extend(answers)

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Choose the option that the next answer begins."""
        self.dialogs.append(Dialog(kind="select", title=title, options=tuple(options)))
        wanted = self._next()
        if not isinstance(wanted, str):
            return None
        return next((option for option in options if option.startswith(wanted)), None)

    async def confirm(self, title: str, message: str) -> bool:
        """Consent if the next answer is ``True``."""
        self.dialogs.append(Dialog(kind="confirm", title=title, detail=message))
        return self._next() is True

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Type the next answer."""
        self.dialogs.append(Dialog(kind="input", title=title, detail=placeholder))
        answer = self._next()
        return answer if isinstance(answer, str) else None

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Remember a notice."""
        self.notices.append((level, message))

    def set_status(self, key: str, text: str | None) -> None:
        """Keep a status line, or take it away."""
        if text is None:
            self.statuses.pop(key, None)
        else:
            self.statuses[key] = text

    def _next(self) -> str | bool | None:
        return self._answers.popleft() if self._answers else None
