"""Watching handlers at work, where the settings or the environment ask for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pihost.diagnostics import Diagnostic
from pihost.near import near_hint

if TYPE_CHECKING:
    from pihost.config import HostConfig
    from pihost.hooks import Observer

__all__ = ["debug_faults", "observer_for"]

_TOPICS = ("hooks",)
"""What ``<prefix>_DEBUG`` may ask for."""


def observer_for(config: HostConfig, *, timing: bool) -> Observer | None:
    """Whoever watches handlers at work; ``None``, and nothing is imported, where nobody wants that.

    Args:
        config: Names the environment variable ``<prefix>_DEBUG``, in which ``hooks`` asks for a line on
            stderr for every call.
        timing: Whether the time of every handler is kept.
    """
    trace = _on_stderr if "hooks" in _asked(config) else None
    if not timing and trace is None:
        return None
    from pihost.hooks import Observer

    return Observer(timing=timing, trace=trace)


def debug_faults(config: HostConfig) -> tuple[Diagnostic, ...]:
    """A warning for each word in ``<prefix>_DEBUG`` that asks for nothing there is."""
    name = f"{config.env_prefix}_DEBUG"
    return tuple(
        Diagnostic(
            level="warning",
            message=f"{name} asks for {word!r}; it knows {', '.join(_TOPICS)}",
            kind="settings",
            source=name,
            hint=near_hint(word, _TOPICS),
        )
        for word in _asked(config)
        if word not in _TOPICS
    )


def _asked(config: HostConfig) -> list[str]:
    return [word.strip() for word in (config.env("DEBUG") or "").split(",") if word.strip()]


def _on_stderr(line: str) -> None:
    print(f"hooks: {line}", file=sys.stderr, flush=True)  # noqa: T201 -- this is what was asked for
