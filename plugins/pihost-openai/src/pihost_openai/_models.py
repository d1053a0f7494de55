"""OpenAI itself: where it is and some of its models. Others go under ``[providers.openai]``."""

from __future__ import annotations

from pihost.models import Model, ProviderConfig

__all__ = ["OPENAI", "OPENAI_URL"]

OPENAI_URL = "https://api.openai.com/v1"


def _model(model_id: str, *, window: int = 1_050_000) -> Model:
    return Model(
        provider="openai",
        id=model_id,
        context_window=window,
        max_tokens=128_000,
        images=True,
        reasoning=True,
    )


OPENAI = ProviderConfig(
    base_url=OPENAI_URL,
    api_key="$OPENAI_API_KEY",
    api="openai-responses",
    models=[
        _model("gpt-6.2-astra"),
        _model("gpt-6.2-sol"),
        _model("gpt-6-luna"),
        _model("gpt-5.4-mini", window=400_000),
    ],
)
"""No prices: they change, and a wrong one is worse than none. Name them in the settings."""
