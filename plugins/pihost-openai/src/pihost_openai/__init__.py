"""The wire APIs ``openai-completions`` and ``openai-responses``, and the provider ``openai``.

Any server that speaks one of them is a provider once it is configured: a table ``[providers.NAME]`` of the
settings, or ``api.register_provider``. The SDK is imported with the first request.
"""

from __future__ import annotations

from pihost import ExtensionAPI
from pihost_openai._models import OPENAI
from pihost_openai._provider import CompletionsProvider, ResponsesProvider

__all__ = ["CompletionsProvider", "ResponsesProvider", "setup"]


def setup(api: ExtensionAPI) -> None:
    """Register the two wire APIs and the provider."""
    api.register_api("openai-completions", CompletionsProvider)
    api.register_api("openai-responses", ResponsesProvider)
    api.register_provider("openai", OPENAI)
