"""Models that answer nothing themselves: for each request they name the physical model that does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs

from pihost._values import Value
from pihost.context import ExtensionContext
from pihost.messages import Message
from pihost.model import Model, Route, ThinkingLevel

__all__ = ["RouteRequest", "VirtualModel"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RouteRequest(Value):
    """What a virtual model decides on.

    Attributes:
        messages: The conversation as the request will carry it.
        system_prompt: The instructions.
        thinking_level: How long the model may think.
        state: The ``state`` of the model's last route on this branch of the session, or ``None``.
    """

    messages: tuple[Message, ...]
    system_prompt: str = ""
    thinking_level: ThinkingLevel = "off"
    state: object = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class VirtualModel(Value):
    """A name under which ``route`` picks a physical model for each request.

    Attributes:
        provider: Id of the provider it is listed under.
        id: Its id there.
        name: A name for people; the id where empty.
        route: Called before each request, plain or async; a failure in it is an error answer.
        context_window: Tokens that fit into one request; 0 where there is no limit.
        max_tokens: Tokens an answer may have at most; 0 where there is no limit.
        images: Whether it reads pictures.
        reasoning: Whether it can think before it answers.
    """

    provider: str
    id: str
    name: str = ""
    route: Callable[[RouteRequest, ExtensionContext | None], Route | Awaitable[Route]]
    context_window: int = 0
    max_tokens: int = 0
    images: bool = False
    reasoning: bool = False

    @property
    def model(self) -> Model:
        """How it is listed among the models; its wire API is called ``virtual``."""
        return Model(
            provider=self.provider,
            id=self.id,
            name=self.name,
            api="virtual",
            context_window=self.context_window,
            max_tokens=self.max_tokens,
            images=self.images,
            reasoning=self.reasoning,
        )
