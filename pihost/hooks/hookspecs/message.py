"""Hooks of a message: its beginning, its growth, its end."""

from pihost.context import ExtensionContext
from pihost.events import (
    MessageEndEvent,
    MessageEndResult,
    MessageStartEvent,
    MessageUpdateEvent,
)
from pihost.hooks._markers import hookspec

__all__ = ["message_end", "message_start", "message_update"]


@hookspec("notify")
def message_start(event: MessageStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``MessageStartEvent``."""


@hookspec("notify")
def message_update(event: MessageUpdateEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``MessageUpdateEvent``."""


@hookspec("chain")
def message_end(event: MessageEndEvent, ctx: ExtensionContext) -> MessageEndResult | None:
    """Fires with a ``MessageEndEvent``."""
