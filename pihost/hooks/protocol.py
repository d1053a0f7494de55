"""What those who fire events need of whoever dispatches them."""

from __future__ import annotations

from typing import Protocol

from pihost.events import Event

__all__ = ["Dispatcher"]


class Dispatcher(Protocol):
    """Takes events to the handlers that answer them."""

    async def emit(self, event: Event) -> object:
        """Call every handler of the event and return what the answers come to, by the event's kind."""
        ...

    def has_handlers(self, name: str) -> bool:
        """Whether any handler answers the hook ``name``."""
        ...
