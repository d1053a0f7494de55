"""The wire API ``anthropic-messages``, and the provider ``anthropic``. A request imports the SDK."""

from __future__ import annotations

from pihost import ExtensionAPI
from pihost_anthropic._models import ANTHROPIC
from pihost_anthropic._provider import MessagesProvider

__all__ = ["MessagesProvider", "setup"]


def setup(api: ExtensionAPI) -> None:
    """Register the wire API and the provider."""
    api.register_api("anthropic-messages", MessagesProvider)
    api.register_provider("anthropic", ANTHROPIC)
