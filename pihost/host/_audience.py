"""Whoever follows a host from outside; they stay while sessions and extensions change."""

from __future__ import annotations

from collections.abc import Callable

from pihost.diagnostics import ExtensionError
from pihost.events import Event
from pihost.extensions.listeners import Listeners
from pihost.host._parts import Watch

__all__ = ["Audience"]


class Audience:
    """The listeners of a host.

    Attributes:
        errors: Hear every failure of an extension.
        events: Hear the session's stream.
        tools: Hear that there may be other tools, or other active ones.
        watch: Tells them of one session after the other.
    """

    def __init__(self) -> None:
        self.errors: Listeners[[ExtensionError]] = Listeners()
        self.events: Listeners[[Event]] = Listeners()
        self.tools: Listeners[[]] = Listeners()
        self.watch = Watch(error=self.errors.tell, event=self._shown, tools=self.tools.tell)
        self._beginning: list[Event] | None = []

    def subscribe(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Show ``listener`` the events from now on, and before the start what came until now."""
        for event in tuple(self._beginning or ()):
            listener(event)
        return self.events.add(listener)

    def started(self) -> None:
        """Note that a session has started: what came before it is not shown again."""
        self._beginning = None
        self.tools.tell()

    def _shown(self, event: Event) -> None:
        if self._beginning is not None:
            self._beginning.append(event)
        self.events.tell(event)
