"""Hooks of a run: its beginning, its turns, its end."""

from pihost.context import ExtensionContext
from pihost.events import (
    AgentBeforeSettleEvent,
    AgentEndEvent,
    AgentSettledEvent,
    AgentStartEvent,
    BeforeAgentStartEvent,
    BeforeAgentStartResult,
    Settle,
    TurnEndEvent,
    TurnStartEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "agent_before_settle",
    "agent_end",
    "agent_settled",
    "agent_start",
    "before_agent_start",
    "turn_end",
    "turn_start",
]


@hookspec("chain")
def before_agent_start(event: BeforeAgentStartEvent, ctx: ExtensionContext) -> BeforeAgentStartResult | None:
    """Fires with a ``BeforeAgentStartEvent``."""


@hookspec("notify")
def agent_start(event: AgentStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``AgentStartEvent``."""


@hookspec("notify")
def turn_start(event: TurnStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``TurnStartEvent``."""


@hookspec("notify")
def turn_end(event: TurnEndEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``TurnEndEvent``."""


@hookspec("notify")
def agent_end(event: AgentEndEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``AgentEndEvent``."""


@hookspec("chain")
def agent_before_settle(event: AgentBeforeSettleEvent, ctx: ExtensionContext) -> Settle | None:
    """Fires with a ``AgentBeforeSettleEvent``."""


@hookspec("notify")
def agent_settled(event: AgentSettledEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``AgentSettledEvent``."""
