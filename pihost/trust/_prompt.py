"""The last step of the chain: asking the user."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.context import UI
from pihost.errors import describe
from pihost.trust._display import shown, shown_list, shown_within
from pihost.trust.options import TrustOption, project_trust_options

__all__ = ["Answer", "ask_user"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Answer(Value):
    """What came of the question.

    Attributes:
        option: The choice; ``None`` where none was made, which is never a yes.
        reason: Which it was, or why there is none.
    """

    option: TrustOption | None
    reason: str


async def ask_user(cwd: Path, ui: UI, *, guarded: Iterable[Path], change: str, can_pin: bool) -> Answer:
    """Put the question and find the choice made.

    Args:
        cwd: The project's directory.
        ui: Whom to ask.
        guarded: What needs trust here.
        change: How the files differ from those approved before; empty where none were.
        can_pin: Whether the approval can be bound to the files; else that choice is left out.
    """
    options = [option for option in project_trust_options(cwd) if can_pin or not option.pin]
    try:
        label: object = await ui.select(_title(cwd, guarded, change), [option.label for option in options])
    except Exception as fault:  # noqa: BLE001 -- any interface may be behind it; a failure is no yes
        return Answer(option=None, reason=f"the question could not be asked: {shown(describe(fault))}")
    if label is None:
        return Answer(option=None, reason="the question was dismissed")
    chosen = next((option for option in options if option.label == label), None)
    if chosen is None:
        return Answer(option=None, reason=f"the question was answered with none of its choices: {label!r}")
    return Answer(option=chosen, reason=f"you chose: {chosen.label}")


def _title(cwd: Path, guarded: Iterable[Path], change: str) -> str:
    lines = [
        f"Trust the project in {shown(cwd)}?",
        f"These take part if you do: {shown_list(shown_within(path, cwd) for path in guarded)}.",
        "They act with your rights. Trust does not make their content safe, and is no sandbox.",
    ]
    if change:
        lines.insert(1, f"You approved its files before; that approval no longer holds ({change}).")
    return "\n".join(lines)
