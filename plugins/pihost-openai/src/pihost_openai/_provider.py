"""The providers that speak the two wire APIs: a payload is made, sent, and its answer read piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from pihost.models import (
    Answer,
    Done,
    Error,
    Model,
    ModelRequest,
    ProviderConfig,
    ProviderHooks,
    Start,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from pihost_openai._request import RequestFailed, answered, is_openai

__all__ = ["CompletionsProvider", "ResponsesProvider"]

Piece = TextDelta | ThinkingDelta | ToolCallDelta


class Reader(Protocol):
    """Reads the events of one answer."""

    def read(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """The pieces in one event."""
        ...

    def end(self, answer: Answer) -> Done | Error:
        """The end, after the last event."""
        ...


class _Provider:
    path: ClassVar[str]

    def __init__(self, provider_id: str, config: ProviderConfig) -> None:
        self.id = provider_id
        self._config = config

    def models(self) -> Sequence[Model]:
        """The models of the configuration."""
        return self._config.models

    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """The body of a request."""
        raise NotImplementedError

    def reader(self) -> Reader:
        """Reads one answer."""
        raise NotImplementedError

    async def stream(self, request: ModelRequest, hooks: ProviderHooks) -> AsyncIterator[StreamEvent]:
        """Answer a request piece by piece.

        Args:
            request: What to answer.
            hooks: Called on the way.
        """
        answer, reader = Answer(request.model), self.reader()
        try:
            async with answered(self._config, self.path, self.payload(request), hooks) as events:
                yield Start()
                async for event in events:
                    for piece in reader.read(event):
                        answer.add(piece)
                        yield piece
            yield reader.end(answer)
        except RequestFailed as fault:
            yield fault.error


class CompletionsProvider(_Provider):
    """A provider that speaks Chat Completions.

    Args:
        provider_id: Its id.
        config: Where it is.
    """

    path = "/chat/completions"

    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """The body of a request."""
        from pihost_openai._completions import completions_payload

        return completions_payload(request, openai=is_openai(self._config))

    def reader(self) -> Reader:
        """Reads one answer."""
        from pihost_openai._completions import CompletionsReader

        return CompletionsReader()


class ResponsesProvider(_Provider):
    """A provider that speaks the Responses API.

    Args:
        provider_id: Its id.
        config: Where it is.
    """

    path = "/responses"

    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """The body of a request."""
        from pihost_openai._responses import responses_payload

        return responses_payload(request)

    def reader(self) -> Reader:
        """Reads one answer."""
        from pihost_openai._responses import ResponsesReader

        return ResponsesReader()
