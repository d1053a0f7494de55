"""The provider that speaks the Messages API: a payload is made, sent, and its answer read piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from pihost.models import Answer, Model, ModelRequest, ProviderConfig, ProviderHooks, Start, StreamEvent
from pihost_anthropic._request import RequestFailed, answered

__all__ = ["MessagesProvider"]


class MessagesProvider:
    """A provider that speaks the Messages API.

    Args:
        provider_id: Its id.
        config: Where it is.
    """

    def __init__(self, provider_id: str, config: ProviderConfig) -> None:
        self.id = provider_id
        self._config = config

    def models(self) -> Sequence[Model]:
        """The models of the configuration."""
        return self._config.models

    async def stream(self, request: ModelRequest, hooks: ProviderHooks) -> AsyncIterator[StreamEvent]:
        """Answer a request piece by piece.

        Args:
            request: What to answer.
            hooks: Called on the way.
        """
        from pihost_anthropic._payload import messages_payload
        from pihost_anthropic._reader import MessagesReader

        answer, reader = Answer(request.model), MessagesReader()
        try:
            async with answered(self._config, messages_payload(request), hooks) as events:
                yield Start()
                async for event in events:
                    for piece in reader.read(event):
                        answer.add(piece)
                        yield piece
            yield reader.end(answer)
        except RequestFailed as fault:
            yield fault.error
