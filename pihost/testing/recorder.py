"""Remembers the events of every hook, as they were when all other handlers had answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet

from pihost.diagnostics import ExtensionError
from pihost.events import Event

if TYPE_CHECKING:
    from pihost.host import Host

__all__ = ["HookRecorder"]

_E = TypeVar("_E", bound=Event)


class HookRecorder:
    """Answers no hook and remembers every event. A gate that an extension has closed ends before it.

    Attributes:
        events: The events of hooks, in the order in which they fired.
        stream: The events of the session's stream, which also tell of faults and of blocked calls.
        errors: The failures of extensions.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.stream: list[Event] = []
        self.errors: list[ExtensionError] = []
        self._heard: WeakSet[Host] = WeakSet()

    def attach(self, host: Host) -> None:
        """Begin to remember what happens in a host. Hooks are to be attached to again after a reload.

        Args:
            host: A host, best before its session starts (``before_start``).
        """
        from pihost.hooks.hookspecs import host_specs

        for name in host_specs():
            host.runner.runtime.hooks.subscribe("hook-recorder", name, self._remember, trylast=True)
        if host in self._heard:  # these listeners stay through a reload
            return
        self._heard.add(host)
        host.subscribe(self.stream.append)
        host.on_error(self.errors.append)

    def of(self, kind: type[_E]) -> list[_E]:
        """The events of one class, from hooks or from the stream where hooks have none.

        Args:
            kind: A class of ``pihost.events``.
        """
        hooks = [event for event in self.events if isinstance(event, kind)]
        return hooks or [event for event in self.stream if isinstance(event, kind)]

    @property
    def names(self) -> list[str]:
        """Names of the hooks that fired, in order."""
        return [event.hook_name for event in self.events]

    def _remember(self, event: Event, _ctx: object) -> None:
        self.events.append(event)
