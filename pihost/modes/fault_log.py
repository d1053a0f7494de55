"""Faults of extensions, collected while a session lives and told when nothing else is being said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pihost.modes.outcome import describe_fault

if TYPE_CHECKING:
    from pihost.events import Event
    from pihost.host import Host

__all__ = ["FaultLog", "Say"]

Say = Callable[[str, str], None]
"""Prints a line of a kind (``error``, ``warning``, ``info``) for the user; see the command line's report."""


class FaultLog:
    """Every fault of a host's extensions, from the session's start to its end, told once each.

    Args:
        say: Prints one.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._waiting: list[str] = []
        self._host: Host | None = None

    def follow(self, host: Host) -> None:
        """Collect what ``host`` tells from now on; its diagnostics are for others to report."""
        self._host = host
        host.subscribe(self._take)

    def tell(self) -> None:
        """Print what was collected and not yet told."""
        waiting, self._waiting = self._waiting, []
        for fault in waiting:
            self._say("warning", fault)

    def _take(self, event: Event) -> None:
        fault = describe_fault(event)
        if fault is not None and not self._is_told(event):
            self._waiting.append(fault)

    def _is_told(self, event: Event) -> bool:
        if event.hook_name != "extension_error":
            return False
        from pihost.events import ExtensionErrorEvent

        found = () if self._host is None else self._host.diagnostics
        return isinstance(event, ExtensionErrorEvent) and any(
            one.source == event.extension and event.error in one.message for one in found
        )
