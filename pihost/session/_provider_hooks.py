"""A provider's calls on its way, as events."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from types import MappingProxyType
from typing import Any

import attrs

from pihost.events import (
    AfterProviderResponseEvent,
    BeforeProviderHeadersEvent,
    BeforeProviderRequestEvent,
    ProviderStreamEventEvent,
)
from pihost.hooks.protocol import Dispatcher
from pihost.model import Model

__all__ = ["EventHooks"]


@attrs.frozen(kw_only=True)
class EventHooks:
    """``ProviderHooks`` that fire events.

    Attributes:
        hooks: Takes the events.
        model: The physical model that is asked.
    """

    hooks: Dispatcher
    model: Model

    async def before_headers(self, headers: MutableMapping[str, str | None]) -> None:
        """Let the headers be changed; those set to ``None`` are removed."""
        await self.hooks.emit(BeforeProviderHeadersEvent(headers=headers))
        for name in [name for name, value in headers.items() if value is None]:
            del headers[name]

    async def before_request(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body to send instead of ``payload``."""
        answer = await self.hooks.emit(BeforeProviderRequestEvent(payload=payload))
        return answer if isinstance(answer, Mapping) else payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """Say that an answer came."""
        lowered = {name.lower(): value for name, value in headers.items()}
        await self.hooks.emit(AfterProviderResponseEvent(status=status, headers=lowered))

    async def stream_event(self, data: Mapping[str, Any]) -> None:
        """Hand on one piece of the answer; without handlers nothing is made of it."""
        if not self.hooks.has_handlers(ProviderStreamEventEvent.name):
            return
        await self.hooks.emit(
            ProviderStreamEventEvent(
                provider=self.model.provider,
                api=self.model.api,
                model=self.model.id,
                data=MappingProxyType(dict(data)),
            )
        )
