"""Hooks of a session's life: trust, start, end, name, model, what is said to it."""

from pihost.context import ExtensionContext, TrustContext
from pihost.events import (
    InputEvent,
    InputResult,
    ModelSelectEvent,
    ProjectTrustEvent,
    ProjectTrustResult,
    SessionInfoChangedEvent,
    SessionShutdownEvent,
    SessionStartEvent,
    ThinkingLevelSelectEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "input",
    "model_select",
    "project_trust",
    "session_info_changed",
    "session_shutdown",
    "session_start",
    "thinking_level_select",
]


@hookspec("first")
def project_trust(event: ProjectTrustEvent, ctx: TrustContext) -> ProjectTrustResult | None:
    """Fires with a ``ProjectTrustEvent``."""


@hookspec("notify")
def session_start(event: SessionStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``SessionStartEvent``."""


@hookspec("notify")
def session_shutdown(event: SessionShutdownEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``SessionShutdownEvent``."""


@hookspec("notify")
def session_info_changed(event: SessionInfoChangedEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``SessionInfoChangedEvent``."""


@hookspec("notify")
def model_select(event: ModelSelectEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ModelSelectEvent``."""


@hookspec("notify")
def thinking_level_select(event: ThinkingLevelSelectEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ThinkingLevelSelectEvent``."""


@hookspec("chain")
def input(event: InputEvent, ctx: ExtensionContext) -> InputResult | None:  # noqa: A001 -- the hook's name
    """Fires with a ``InputEvent``."""
