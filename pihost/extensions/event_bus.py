"""Channels on which extensions of one runtime speak with each other."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pihost.extensions.faults import passes_through

__all__ = ["EventBus"]

_Listener = tuple[str, Callable[[Any], object]]


class EventBus:
    """Hands data from whoever emits on a channel to everybody who listens there, in order of subscription.

    A listener that fails is reported and the next one is called; what an async listener returns runs as a
    task of its extension.

    Args:
        on_error: Takes the extension, the channel and the exception of a listener.
        spawn: Runs an awaitable that a listener of that extension and channel returned.
    """

    def __init__(
        self,
        *,
        on_error: Callable[[str, str, BaseException], None],
        spawn: Callable[[str, str, Any], None],
    ) -> None:
        self._on_error = on_error
        self._spawn = spawn
        self._channels: dict[str, tuple[_Listener, ...]] = {}

    def on(self, extension: str, channel: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Listen on a channel; the returned function ends it."""
        entry = (extension, listener)
        self._channels[channel] = (*self._channels.get(channel, ()), entry)

        def unsubscribe() -> None:
            self._keep(channel, lambda other: other is not entry)

        return unsubscribe

    def emit(self, channel: str, data: Any) -> None:
        """Hand ``data`` to those who listen now; who comes or goes meanwhile counts from the next time."""
        for extension, listener in self._channels.get(channel, ()):
            try:
                answer = listener(data)
            except BaseException as fault:
                if passes_through(fault):
                    raise
                self._on_error(extension, channel, fault)
            else:
                if inspect.isawaitable(answer):
                    self._spawn(extension, channel, answer)

    def remove(self, extension: str) -> None:
        """Forget every listener of an extension."""
        for channel in tuple(self._channels):
            self._keep(channel, lambda other: other[0] != extension)

    def _keep(self, channel: str, wanted: Callable[[_Listener], bool]) -> None:
        left = tuple(entry for entry in self._channels.get(channel, ()) if wanted(entry))
        if left:
            self._channels[channel] = left
        else:
            self._channels.pop(channel, None)
