"""A provider's calls on its way, as events; where nobody answers one, it is not even made."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from types import MappingProxyType
from typing import Any

from pihost.hooks.protocol import Dispatcher
from pihost.model import Model

__all__ = ["EventHooks"]


class EventHooks:
    """``ProviderHooks`` that fire events.

    Args:
        hooks: Takes the events.
        model: The physical model that is asked.
    """

    def __init__(self, *, hooks: Dispatcher, model: Model) -> None:
        self._hooks = hooks
        self._model = model

    async def before_headers(self, headers: MutableMapping[str, str | None]) -> None:
        """Let the headers be changed; those set to ``None`` are removed."""
        if self._hooks.has_handlers("before_provider_headers"):
            from pihost.events import BeforeProviderHeadersEvent

            await self._hooks.emit(BeforeProviderHeadersEvent(headers=headers))
        for name in [name for name, value in headers.items() if value is None]:
            del headers[name]

    async def before_request(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body to send instead of ``payload``."""
        if not self._hooks.has_handlers("before_provider_request"):
            return payload
        from pihost.events import BeforeProviderRequestEvent

        answer = await self._hooks.emit(BeforeProviderRequestEvent(payload=payload))
        return answer if isinstance(answer, Mapping) else payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """Say that an answer came."""
        if self._hooks.has_handlers("after_provider_response"):
            from pihost.events import AfterProviderResponseEvent

            lowered = {name.lower(): value for name, value in headers.items()}
            await self._hooks.emit(AfterProviderResponseEvent(status=status, headers=lowered))

    async def stream_event(self, data: Mapping[str, Any]) -> None:
        """Hand on one piece of the answer."""
        if self._hooks.has_handlers("provider_stream_event"):
            from pihost.events import ProviderStreamEventEvent

            await self._hooks.emit(
                ProviderStreamEventEvent(
                    provider=self._model.provider,
                    api=self._model.api,
                    model=self._model.id,
                    data=MappingProxyType(dict(data)),
                )
            )
