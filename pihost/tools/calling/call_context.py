"""The context a tool is handed: the session's, plus what belongs to the one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from pihost.content import ToolResult
from pihost.context import AbortSignal, ContextAround, ExtensionContext

__all__ = ["ToolCallContext"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def _ignore(_partial: ToolResult) -> None:
    """Nobody looks at what there is so far."""


class ToolCallContext(ContextAround):
    """A ``ToolContext`` around any ``ExtensionContext``.

    Whoever calls ``call_tool`` makes one from its context and ``env``; the pipeline then makes one of its own
    for each call, with the call's id, updates that become events, and nested calls.

    Args:
        context: The session around the call.
        env: Variables to add to the environment of programs.
        signal: Ends the call; ``None`` is the signal of the session.
        call_id: Id of the call; empty outside one.
        on_update: Shown what there is so far; ``None`` where nobody looks.
        execute_tool: Runs a nested call.
    """

    def __init__(
        self,
        context: ExtensionContext,
        *,
        env: Mapping[str, str] = _NOTHING,
        signal: AbortSignal | None = None,
        call_id: str = "",
        on_update: Callable[[ToolResult], None] | None = None,
        execute_tool: Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]] | None = None,
    ) -> None:
        super().__init__(context)
        self._env = env
        self._signal = signal
        self._call_id = call_id
        self._on_update = on_update or _ignore
        self._execute_tool = execute_tool

    @property
    def signal(self) -> AbortSignal | None:
        """Set when the call is to end; ``None`` where nothing ends it."""
        return self._signal or self._context.signal

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
