"""Hooks of dialogs with the user."""

from pihost.context import ExtensionContext
from pihost.events import (
    UiPromptEndEvent,
    UiPromptStartEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "ui_prompt_end",
    "ui_prompt_start",
]


@hookspec("notify")
def ui_prompt_start(event: UiPromptStartEvent, ctx: ExtensionContext) -> None:
    """Fires when a dialog opens. While it is open, no handler runs out of time.

    Event:
        kind (str): ``"select"``, ``"confirm"`` or ``"input"``.
        title (str): What it asks.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        WAITING = []

        @hookimpl
        def ui_prompt_start(event):
            WAITING.append(event.title)
    """


@hookspec("notify")
def ui_prompt_end(event: UiPromptEndEvent, ctx: ExtensionContext) -> None:
    """Fires when a dialog has closed; pairs up with ``ui_prompt_start``.

    Event:
        kind (str): ``"select"``, ``"confirm"`` or ``"input"``.
        title (str): What it asked.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def ui_prompt_end(event, ctx):
            ctx.ui.set_status("dialog", None)
    """
