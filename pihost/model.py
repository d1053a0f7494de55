"""What is known of a model, and where a virtual model sends a request."""

from __future__ import annotations

from typing import Literal

import attrs

from pihost._values import Value

__all__ = ["THINKING_LEVELS", "Model", "Route", "ThinkingLevel"]

ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh"]
"""How long a model may think before it answers."""

THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("off", "minimal", "low", "medium", "high", "xhigh")
"""Every thinking level, the least first."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Model(Value):
    """A model as its provider offers it.

    Attributes:
        provider: Id of the provider.
        id: The provider's name for the model.
        name: A name for people; the id where empty.
        api: The wire API it speaks.
        context_window: Tokens that fit into one request, answer included; 0 where there is no limit.
        max_tokens: Tokens an answer may have at most; 0 where there is no limit.
        images: Whether it reads pictures.
        reasoning: Whether it can think before it answers.
        input_cost: US dollars for a million tokens sent.
        output_cost: US dollars for a million tokens received.
        cache_read_cost: US dollars for a million tokens that a cache served; ``None``: as ``input_cost``.
        cache_write_cost: US dollars for a million tokens written to a cache; ``None``: as ``input_cost``.
    """

    provider: str
    id: str
    name: str = ""
    api: str = ""
    context_window: int = 0
    max_tokens: int = 0
    images: bool = False
    reasoning: bool = False
    input_cost: float = 0.0
    output_cost: float = 0.0
    cache_read_cost: float | None = None
    cache_write_cost: float | None = None

    @property
    def ref(self) -> str:
        """``provider/id``, the form in which users name it."""
        return f"{self.provider}/{self.id}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Route(Value):
    """A virtual model's answer: the physical model that takes this request.

    Attributes:
        provider: Id of the provider of a physical model.
        id: Id of the model there.
        state: JSON-compatible state to keep on the session's branch for the next request, or ``None``.
    """

    provider: str
    id: str
    state: object = None
