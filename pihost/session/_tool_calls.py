"""The tool calls of one answer: prepared in order, run side by side, each with exactly one result."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pihost.content import ToolCall, ToolResult
from pihost.context import AbortSignal
from pihost.events import ToolExecutionEndEvent, ToolExecutionStartEvent
from pihost.messages import AssistantMessage, ToolResultMessage
from pihost.session._state import SessionState
from pihost.tools.calling.aborting import GRACE_SECONDS, until_aborted
from pihost.tools.calling.pipeline import PreparedCall, prepare_call

__all__ = ["answer_calls"]

_ABORTED = "Tool call aborted."
_NOT_RUN = {
    "length": "Not run: the answer was cut off by the output limit, so the call may be incomplete. "
    "Make it again, with less text before it or in smaller pieces.",
    "error": "Not run: the answer ended with an error.",
    "aborted": _ABORTED,
}
_PATIENCE_SECONDS = GRACE_SECONDS + 1
"""After an abort the tools end by themselves within their grace; only what hangs longer is cancelled here."""


async def answer_calls(
    state: SessionState, message: AssistantMessage, signal: AbortSignal
) -> tuple[tuple[ToolResultMessage, ...], bool]:
    """Run the tool calls of an answer and store one result for each, in call order, whatever happens.

    Args:
        state: The session.
        message: The answer.
        signal: Ends them.

    Returns:
        The results as they were stored, and whether one of them ends the run.
    """
    outcomes: dict[int, ToolResult] = {}
    stored: list[ToolResultMessage] = []
    try:
        if message.stop_reason in _NOT_RUN:
            await _refuse(state, message, outcomes)
        else:
            await _Batch(state, message.tool_calls, signal, outcomes).run()
    finally:
        # Cancelled or not: a call without its result would spoil every later request.
        aborted = ToolResult.from_text(_ABORTED, is_error=True)
        for index, call in enumerate(message.tool_calls):
            stored.append(await state.deliver(_as_message(call, outcomes.get(index, aborted))))
    return tuple(stored), any(result.terminate for result in outcomes.values())


def _as_message(call: ToolCall, result: ToolResult) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=result.content,
        details=result.details,
        structured_content=result.structured_content,
        is_error=result.is_error,
    )


async def _refuse(state: SessionState, message: AssistantMessage, outcomes: dict[int, ToolResult]) -> None:
    """Answer calls that must not run; their events come in pairs as everybody's."""
    for index, call in enumerate(message.tool_calls):
        result = ToolResult.from_text(_NOT_RUN[message.stop_reason], is_error=True)
        outcomes[index] = result
        names = {"tool_call_id": call.id, "tool_name": call.name}
        await state.stream.emit(ToolExecutionStartEvent(**names, args=call.arguments))
        await state.stream.emit(
            ToolExecutionEndEvent(**names, args=call.arguments, result=result, is_error=True, duration_ms=0.0)
        )


class _Batch:
    """The calls of one message under way.

    Args:
        state: The session.
        calls: In call order.
        signal: Ends them.
        outcomes: Takes each result as it comes, by the call's place.
    """

    def __init__(
        self,
        state: SessionState,
        calls: Sequence[ToolCall],
        signal: AbortSignal,
        outcomes: dict[int, ToolResult],
    ) -> None:
        self._state = state
        self._calls = calls
        self._signal = signal
        self._outcomes = outcomes
        self._tools = state.active_tools()

    async def run(self) -> None:
        """Run them all: side by side, or one after another where one of them must not run beside others."""
        places = range(len(self._calls))
        steps = [[place] for place in places] if any(map(self._is_sequential, self._calls)) else [places]
        for step in steps:
            prepared = await self._prepare(step)
            await until_aborted(self._side_by_side(prepared), self._signal, patience=_PATIENCE_SECONDS)

    def _is_sequential(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return tool is not None and tool.execution_mode == "sequential"

    async def _prepare(self, places: Sequence[int]) -> list[tuple[int, PreparedCall]]:
        prepared: list[tuple[int, PreparedCall]] = []
        try:
            for index in places:
                ready = await until_aborted(self._prepare_one(self._calls[index]), self._signal)
                if ready is not None:
                    prepared.append((index, ready))
        except asyncio.CancelledError:
            for _, ready in prepared:
                await ready.abandon()
            raise
        return prepared

    async def _prepare_one(self, call: ToolCall) -> PreparedCall:
        context = self._state.tool_context()
        return await prepare_call(self._tools, call, ctx=context, hooks=self._state.stream)

    async def _side_by_side(self, prepared: Sequence[tuple[int, PreparedCall]]) -> None:
        await asyncio.gather(*(self._run_one(index, call) for index, call in prepared))

    async def _run_one(self, index: int, call: PreparedCall) -> None:
        self._outcomes[index] = await call.run()
