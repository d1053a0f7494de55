"""Notices of extensions where nobody can be asked: a line each, beside the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pihost.context import NoticesOnly, NotifyLevel

if TYPE_CHECKING:
    from pihost.modes.fault_log import Say

__all__ = ["notices_by"]


def notices_by(say: Say) -> NoticesOnly:
    """A UI that hands each notice to ``say`` at once, as one line without control sequences."""

    def show(level: NotifyLevel, message: str) -> None:
        text = _line(message)
        if text:
            say(level, text)

    return NoticesOnly(show)


def _line(message: str) -> str:
    from pihost.tools.outputs.control import ControlFilter

    shown, _newlines = ControlFilter().feed(message.encode("utf-8", "replace"), final=True)
    return " ".join(shown.decode("utf-8").split())
