"""Hooks of a tool call, from the wish to the result, and of the user's own shell commands."""

from pihost.context import ExtensionContext
from pihost.events import (
    ToolCallEvent,
    ToolCallFinalEvent,
    ToolCallResult,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolResultEvent,
    ToolResultPatch,
    UserBashEvent,
    UserBashResult,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "tool_call",
    "tool_call_final",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_result",
    "user_bash",
]


@hookspec("gate")
def tool_call(event: ToolCallEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    """Fires with a ``ToolCallEvent``."""


@hookspec("gate")
def tool_call_final(event: ToolCallFinalEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    """Fires with a ``ToolCallFinalEvent``."""


@hookspec("notify")
def tool_execution_start(event: ToolExecutionStartEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ToolExecutionStartEvent``."""


@hookspec("notify")
def tool_execution_update(event: ToolExecutionUpdateEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ToolExecutionUpdateEvent``."""


@hookspec("notify")
def tool_execution_end(event: ToolExecutionEndEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ToolExecutionEndEvent``."""


@hookspec("chain")
def tool_result(event: ToolResultEvent, ctx: ExtensionContext) -> ToolResultPatch | None:
    """Fires with a ``ToolResultEvent``."""


@hookspec("first")
def user_bash(event: UserBashEvent, ctx: ExtensionContext) -> UserBashResult | None:
    """Fires with a ``UserBashEvent``."""
