"""The user's own shell commands: an extension's way with them, or the bash tool."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pihost.content import ToolCall, ToolResult
from pihost.context import AbortSignal
from pihost.entries import CustomEntry
from pihost.errors import describe
from pihost.messages import CustomMessage
from pihost.session._state import SessionState
from pihost.tools.calling.aborting import until_aborted
from pihost.tools.calling.pipeline import call_tool

if TYPE_CHECKING:
    from pihost.events import ShellOperations

__all__ = ["run_user_bash"]

_KIND = "user_bash"


async def run_user_bash(state: SessionState, command: str, *, exclude_from_context: bool) -> ToolResult:
    """Run a command line that the user typed, until it ends or is aborted, and keep what came of it.

    Args:
        state: The session.
        command: The command line.
        exclude_from_context: Whether the model stays unaware of it.
    """
    signal = AbortSignal()
    state.commands.add(signal)
    try:
        result = await _run(state, command, signal, exclude_from_context=exclude_from_context)
    finally:
        state.commands.discard(signal)
    if exclude_from_context:
        data = {"command": command, "output": result.text, "is_error": result.is_error}
        state.parts.store.append(CustomEntry, kind=_KIND, data=data)
        return result
    message = CustomMessage(
        kind=_KIND,
        content=f"The user ran `{command}`:\n{result.text}",
        details={"command": command, "is_error": result.is_error},
    )
    if state.signal is None:
        await state.deliver_aside(message)
    else:
        # Between a tool call and its result there must be nothing else.
        state.queues.next_turn.append(message)
    return result


async def _run(
    state: SessionState, command: str, signal: AbortSignal, *, exclude_from_context: bool
) -> ToolResult:
    from pihost.events import UserBashEvent, UserBashResult

    event = UserBashEvent(command=command, exclude_from_context=exclude_from_context, cwd=state.parts.cwd)
    answer = await state.stream.emit(event)
    if isinstance(answer, UserBashResult):
        if answer.result is not None:
            return answer.result
        if answer.operations is not None:
            return await _elsewhere(state, command, answer.operations, signal)
    call = ToolCall(id=f"user-{uuid.uuid4().hex}", name="bash", arguments={"command": command})
    return await call_tool(state.parts.tools(), call, ctx=state.tool_context(signal))


async def _elsewhere(
    state: SessionState, command: str, operations: ShellOperations, signal: AbortSignal
) -> ToolResult:
    async def run() -> object:
        return await operations.run(command, cwd=state.parts.cwd, env=state.tool_env())

    try:
        result = await until_aborted(run(), signal)
    except Exception as fault:  # noqa: BLE001 -- an extension's code: its failure is the command's result
        return ToolResult.from_text(describe(fault), is_error=True)
    if isinstance(result, ToolResult):
        return result
    if signal.aborted:
        return ToolResult.from_text("The command was aborted", is_error=True)
    text = f"The command's operations returned {type(result).__name__} instead of a ToolResult"
    return ToolResult.from_text(text, is_error=True)
