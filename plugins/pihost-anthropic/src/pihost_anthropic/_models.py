"""Anthropic itself: where it is and some of its models. Others go under ``[providers.anthropic]``."""

from __future__ import annotations

from pihost.models import Model, ProviderConfig

__all__ = ["ANTHROPIC", "ANTHROPIC_URL"]

ANTHROPIC_URL = "https://api.anthropic.com"


def _model(model_id: str, *, window: int = 1_000_000, max_tokens: int = 128_000) -> Model:
    return Model(
        provider="anthropic",
        id=model_id,
        context_window=window,
        max_tokens=max_tokens,
        images=True,
        reasoning=True,
    )


ANTHROPIC = ProviderConfig(
    base_url=ANTHROPIC_URL,
    api_key="$ANTHROPIC_API_KEY",
    api="anthropic-messages",
    models=[
        _model("claude-opus-5-5"),
        _model("claude-sonnet-5-5"),
        _model("claude-haiku-5-5"),
        _model("claude-haiku-4-5", window=200_000, max_tokens=64_000),
    ],
)
"""No prices: they change, and a wrong one is worse than none. Name them in the settings."""
