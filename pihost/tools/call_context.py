"""The context a tool is handed: the session's, plus what belongs to the one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pihost.config import Mode
from pihost.content import ToolResult
from pihost.context import UI, AbortSignal, ContextUsage, ExtensionContext, ModelCatalog, SessionReader
from pihost.model import Model, ThinkingLevel

__all__ = ["ToolCallContext"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def _ignore(_partial: ToolResult) -> None:
    """Nobody looks at what there is so far."""


class ToolCallContext:
    """A ``ToolContext`` around any ``ExtensionContext``.

    Whoever calls ``call_tool`` makes one from its context and ``env``; the pipeline then makes one of its own
    for each call, with the call's id, updates that become events, and nested calls.

    Args:
        context: The session around the call.
        env: Variables to add to the environment of programs.
        call_id: Id of the call; empty outside one.
        on_update: Shown what there is so far.
        execute_tool: Runs a nested call.
    """

    def __init__(
        self,
        context: ExtensionContext,
        *,
        env: Mapping[str, str] = _NOTHING,
        call_id: str = "",
        on_update: Callable[[ToolResult], None] = _ignore,
        execute_tool: Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]] | None = None,
    ) -> None:
        self._context = context
        self._env = env
        self._call_id = call_id
        self._on_update = on_update
        self._execute_tool = execute_tool

    @property
    def call_id(self) -> str:
        """Id of this call."""
        return self._call_id

    @property
    def env(self) -> Mapping[str, str]:
        """Variables to add to the environment of a program the tool starts."""
        return self._env

    def on_update(self, partial: ToolResult) -> None:
        """Show what there is so far."""
        self._on_update(partial)

    async def execute_tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        """Run another tool through the same pipeline, hooks included.

        Raises:
            RuntimeError: no call is under way.
        """
        if self._execute_tool is None:
            raise RuntimeError("execute_tool: no tool call is under way; use call_tool")
        return await self._execute_tool(name, args)

    @property
    def ui(self) -> UI:
        """How to speak with the user."""
        return self._context.ui

    @property
    def mode(self) -> Mode:
        """How the session meets its user."""
        return self._context.mode

    @property
    def has_ui(self) -> bool:
        """Whether somebody can be asked."""
        return self._context.has_ui

    @property
    def cwd(self) -> Path:
        """The session's directory."""
        return self._context.cwd

    @property
    def session(self) -> SessionReader:
        """The session's entries, to read."""
        return self._context.session

    @property
    def models(self) -> ModelCatalog:
        """The models there are."""
        return self._context.models

    @property
    def model(self) -> Model | None:
        """The model that answers now."""
        return self._context.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """How long it may think."""
        return self._context.thinking_level

    @property
    def signal(self) -> AbortSignal | None:
        """Set when the run under way is to end; ``None`` while none is."""
        return self._context.signal

    def is_idle(self) -> bool:
        """Whether no run is under way."""
        return self._context.is_idle()

    def is_project_trusted(self) -> bool:
        """Whether the project's own resources take part."""
        return self._context.is_project_trusted()

    def abort(self) -> None:
        """End the run under way."""
        self._context.abort()

    def has_pending_messages(self) -> bool:
        """Whether messages wait for the model."""
        return self._context.has_pending_messages()

    def shutdown(self) -> None:
        """Ask the host to end in an orderly way once the run under way has settled."""
        self._context.shutdown()

    def context_usage(self) -> ContextUsage | None:
        """How full the model's context is; ``None`` where no model is chosen."""
        return self._context.context_usage()

    def system_prompt(self) -> str:
        """The system prompt of the run under way, else of the next."""
        return self._context.system_prompt()
