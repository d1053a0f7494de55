"""Hooks of dialogs with the user."""

from pihost.context import ExtensionContext
from pihost.events import (
    UiPromptEndEvent,
    UiPromptStartEvent,
)
from pihost.hooks._markers import hookspec

__all__ = ["ui_prompt_end", "ui_prompt_start"]


@hookspec("notify")
def ui_prompt_start(event: UiPromptStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``UiPromptStartEvent``."""


@hookspec("notify")
def ui_prompt_end(event: UiPromptEndEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``UiPromptEndEvent``."""
