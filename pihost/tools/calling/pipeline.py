"""The one way a tool is called, whoever calls: events, checks, consent, execution, result."""

from __future__ import annotations

import inspect
import itertools
from asyncio import CancelledError
from collections.abc import Mapping
from typing import Any

import attrs

from pihost.content import ImageContent, TextContent, ToolCall, ToolResult
from pihost.context import ToolContext
from pihost.hooks.protocol import Dispatcher
from pihost.tools.calling._call_events import CallEvents, UpdateStream
from pihost.tools.calling._checks import ReadyCall, error_result, failure_result, ready_call
from pihost.tools.calling.aborting import until_aborted
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.definition import ToolDefinition

__all__ = ["PreparedCall", "call_tool", "prepare_call"]

_ABORTED = "Tool call aborted."


async def call_tool(
    tools: Mapping[str, ToolDefinition],
    call: ToolCall,
    *,
    ctx: ToolContext,
    hooks: Dispatcher | None = None,
) -> ToolResult:
    """Call a tool: ``tool_execution_start``, checks, ``tool_call``, ``tool_call_final``, execution,
    ``tool_result``, ``tool_execution_end``.

    Whatever goes wrong is an error result: an unknown tool, bad arguments, a refusal, an exception, and an
    abort through ``ctx.signal`` (the tool is then cancelled and left behind after five seconds).

    Args:
        tools: Every tool that may be called, by name.
        call: The call, arguments as sent.
        ctx: The session around it; see ``ToolCallContext``.
        hooks: Takes the events; ``None`` calls without any.

    Raises:
        asyncio.CancelledError: the caller itself was cancelled; the tool has been cancelled, too, and
            ``tool_execution_end`` has been fired.
    """  # noqa: D205 -- the summary is the order of the steps
    prepared = await prepare_call(tools, call, ctx=ctx, hooks=hooks)
    return await prepared.run()


async def prepare_call(
    tools: Mapping[str, ToolDefinition],
    call: ToolCall,
    *,
    ctx: ToolContext,
    hooks: Dispatcher | None = None,
    parent: str | None = None,
) -> PreparedCall:
    """Take a call up to its execution. Every prepared call must be run or abandoned.

    The calls of one message are prepared one after another, since handlers may ask the user, and then run
    side by side.

    Args:
        tools: As in ``call_tool``.
        call: As in ``call_tool``.
        ctx: As in ``call_tool``.
        hooks: As in ``call_tool``.
        parent: Id of the call whose tool makes this one.

    Raises:
        asyncio.CancelledError: the caller itself was cancelled; ``tool_execution_end`` has been fired.
    """
    events = CallEvents(hooks, call, parent)
    try:
        await events.start()
        state = await ready_call(tools, call, events)
    except CancelledError:
        await events.end(error_result(_ABORTED))
        raise
    return PreparedCall(tools=tools, call=call, ctx=ctx, hooks=hooks, events=events, state=state)


@attrs.define(kw_only=True, eq=False, repr=False)
class PreparedCall:
    """A call that has passed its checks, or has been refused. Made by ``prepare_call``.

    Attributes:
        tools: Every tool that may be called.
        call: The call as sent.
        ctx: The session around it.
        hooks: Takes the events of nested calls.
        events: Fires the events of this call.
        state: What is to run; where the call was refused, the result that says why.
    """

    tools: Mapping[str, ToolDefinition]
    call: ToolCall
    ctx: ToolContext
    hooks: Dispatcher | None
    events: CallEvents
    state: ReadyCall | ToolResult

    async def run(self) -> ToolResult:
        """Execute the call, unless it was refused, and fire what is left of its events.

        Raises:
            asyncio.CancelledError: the caller itself was cancelled.
        """
        try:
            result = await self._execute(self.state) if isinstance(self.state, ReadyCall) else self.state
        except CancelledError:
            await self.abandon()
            raise
        await self.events.end(result)
        return result

    async def abandon(self) -> ToolResult:
        """End the call without running it, as aborted."""
        result = error_result(_ABORTED)
        await self.events.end(result)
        return result

    async def _execute(self, ready: ReadyCall) -> ToolResult:
        updates = UpdateStream(self.events)
        numbers = itertools.count(1)

        def show(partial: ToolResult) -> None:
            self.ctx.on_update(partial)
            updates.push(partial)

        async def nested(name: str, args: Mapping[str, Any]) -> ToolResult:
            call = ToolCall(id=f"{self.call.id}.{next(numbers)}", name=name, arguments=args)
            prepared = await prepare_call(
                self.tools, call, ctx=self.ctx, hooks=self.hooks, parent=self.call.id
            )
            return await prepared.run()

        ctx = ToolCallContext(
            self.ctx, env=self.ctx.env, call_id=self.call.id, on_update=show, execute_tool=nested
        )
        try:
            result = await self._outcome(ready, ctx)
        finally:
            await updates.close()
        return await self._through_handlers(ready, result)

    async def _outcome(self, ready: ReadyCall, ctx: ToolContext) -> ToolResult:
        signal = self.ctx.signal
        if signal is not None and signal.aborted:
            return error_result(_ABORTED)
        result = await until_aborted(self._invoke(ready, ctx), signal)
        return result if result is not None else error_result(_ABORTED)

    async def _invoke(self, ready: ReadyCall, ctx: ToolContext) -> ToolResult:
        try:
            answer = ready.tool.execute(self.call.id, ready.params, ctx)
            result = await answer if inspect.isawaitable(answer) else answer
        except (Exception, SystemExit) as fault:  # noqa: BLE001 -- the tool's code; its text is the result
            return failure_result(fault)
        return _proper(self.call.name, result)

    async def _through_handlers(self, ready: ReadyCall, result: ToolResult) -> ToolResult:
        if not self.events.wanted("tool_result"):
            return result
        try:
            final = await self.events.result(ready.input, result)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 -- a handler's code; its text is the result
            return failure_result(fault)
        if not isinstance(final, ToolResult):
            return result
        return attrs.evolve(final, terminate=final.terminate or result.terminate)


def _proper(name: str, result: object) -> ToolResult:
    """The result itself, or an error that says what the tool should have returned."""
    if not isinstance(result, ToolResult):
        text = f"Tool {name!r} returned {type(result).__name__}; it must return a ToolResult."
    elif not all(isinstance(block, TextContent | ImageContent) for block in result.content):
        text = f"Tool {name!r} returned content that is not all TextContent or ImageContent."
    else:
        return result
    return error_result(text)
