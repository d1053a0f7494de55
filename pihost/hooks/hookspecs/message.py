"""Hooks of a message: its beginning, its growth, its end."""

from pihost.context import ExtensionContext
from pihost.events import (
    MessageEndEvent,
    MessageEndResult,
    MessageStartEvent,
    MessageUpdateEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "message_end",
    "message_start",
    "message_update",
]


@hookspec("notify")
def message_start(event: MessageStartEvent, ctx: ExtensionContext) -> None:
    """Fires when a message begins: whole, or still empty where a model is about to write it.

    Event:
        message (Message): The message.

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
        def message_start(event, ctx):
            ctx.ui.set_status("speaking", event.message.role)
    """


@hookspec("notify")
def message_update(event: MessageUpdateEvent, ctx: ExtensionContext) -> None:
    """Fires each time a model has written more.

    Event:
        message (AssistantMessage): The answer so far.
        delta (TextDelta | ThinkingDelta | ToolCallDelta): What came just now.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        LENGTH = {"characters": 0}

        @hookimpl
        def message_update(event):
            if event.delta.type == "text_delta":
                LENGTH["characters"] += len(event.delta.text)
    """


@hookspec("chain")
def message_end(event: MessageEndEvent, ctx: ExtensionContext) -> MessageEndResult | None:
    """Fires when a message is complete and about to be stored.

    Event:
        message (Message): The message as the handlers before left it.

    Returns:
        ``MessageEndResult(message)`` with the message to store instead, or ``None``. It must have the same
        role; another is reported and ignored.

    Answers:
        Each handler sees the message the ones before it left; the last one is stored.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        import attrs

        from pihost import hookimpl
        from pihost.events import MessageEndResult
        from pihost.models import TextContent

        @hookimpl
        def message_end(event, ctx):
            if event.message.role == "user":
                text = TextContent(text=event.message.text.replace("colour", "color"))
                return MessageEndResult(message=attrs.evolve(event.message, content=[text]))
    """
