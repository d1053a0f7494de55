"""Asks before destructive shell commands and keeps configured paths read-only."""

from __future__ import annotations

from pihost import ExtensionAPI
from pihost_guard._guard import Guard, GuardConfig

__all__ = ["Guard", "GuardConfig", "setup"]


def setup(api: ExtensionAPI) -> None:
    """Answer ``tool_call_final``, after which nothing can change a call's arguments any more."""
    guard = Guard(api.get_config(GuardConfig))
    api.on("tool_call_final", guard.check)
