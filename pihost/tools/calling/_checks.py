"""What a call must pass before it runs: there is such a tool, the arguments fit, nobody objects."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import attrs

from pihost.content import TextContent, ToolCall, ToolResult
from pihost.errors import describe
from pihost.near import near_aside
from pihost.nesting import DEEPEST
from pihost.tools.calling._call_events import CallEvents, copied
from pihost.tools.definition import ToolDefinition
from pihost.tools.schema import ToolArgumentsError

__all__ = ["ReadyCall", "error_result", "failure_result", "ready_call"]

_INVALID = "Invalid arguments for tool"
_SHOWN_CHARACTERS = 200


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ReadyCall:
    """A call that may run.

    Attributes:
        tool: The tool.
        input: The arguments as plain data.
        params: The same as the tool wants them.
    """

    tool: ToolDefinition
    input: Mapping[str, Any]
    params: Any


class _RefusedError(Exception):
    """The call must not run; carries the result that says why."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result)
        self.result = result


def error_result(text: str, *, terminate: bool = False) -> ToolResult:
    """A failed call's result.

    Args:
        text: Why, for the model.
        terminate: Whether the run ends too.
    """
    return ToolResult(content=[TextContent(text=text)], is_error=True, terminate=terminate)


def failure_result(fault: BaseException) -> ToolResult:
    """The result of a call whose code raised; the name of a foreign exception is part of what it says."""
    return error_result(describe(fault))


async def ready_call(
    tools: Mapping[str, ToolDefinition], call: ToolCall, events: CallEvents
) -> ReadyCall | ToolResult:
    """The call, ready to run, or the error result that says why it must not.

    Args:
        tools: Every tool that may be called, by name.
        call: The call, arguments as sent.
        events: Asks the handlers.
    """
    try:
        return await _ready(tools, call, events)
    except _RefusedError as refused:
        return refused.result
    except (Exception, SystemExit) as fault:  # noqa: BLE001 -- a tool's or handler's code: its text is the result
        return failure_result(fault)


async def _ready(tools: Mapping[str, ToolDefinition], call: ToolCall, events: CallEvents) -> ReadyCall:
    tool = _find(tools, call.name)
    if call.invalid_json is not None:
        raise _RefusedError(error_result(f"{_INVALID} {tool.name!r}:\n{_no_object(call.invalid_json)}"))
    arguments = _prepared(tool, call.arguments)
    params = _checked(tool, arguments, _INVALID)
    if events.wanted("tool_call"):
        patched = copy.deepcopy(arguments)
        answer, changed_by = await events.ask(patched)
        _refuse_if_blocked(answer)
        # A copy: a handler that kept the event must not change what is checked from here on.
        arguments = copy.deepcopy(patched)
        params = _checked(tool, arguments, _blame(changed_by))
    if events.wanted("tool_call_final"):
        _refuse_if_blocked(await events.ask_finally(arguments))
    return ReadyCall(tool=tool, input=arguments, params=params)


def _no_object(text: str) -> str:
    bound = f" of at most {DEEPEST} levels" if text.count("{") + text.count("[") > DEEPEST else ""
    return f"must be one JSON object{bound}, not {text[:_SHOWN_CHARACTERS]!r}"


def _blame(changed_by: tuple[str, ...]) -> str:
    names = " and ".join(repr(name) for name in changed_by)
    who = f"Extension {names}" if names else "An extension"
    return f"{who} changed the arguments in tool_call to what does not fit tool"


def _find(tools: Mapping[str, ToolDefinition], name: str) -> ToolDefinition:
    tool = tools.get(name)
    if tool is None:
        near = near_aside(name, tools, most=3)
        known = ", ".join(sorted(tools)) or "none"
        raise _RefusedError(error_result(f"Unknown tool {name!r}{near}. Available tools: {known}."))
    return tool


def _prepared(tool: ToolDefinition, arguments: Any) -> Any:
    own = copied(arguments)
    if tool.prepare_arguments is None:
        return own
    try:
        return tool.prepare_arguments(own)
    except ToolArgumentsError as fault:
        raise _RefusedError(error_result(f"{_INVALID} {tool.name!r}:\n{fault}")) from fault


def _checked(tool: ToolDefinition, arguments: Any, blame: str) -> Any:
    try:
        return tool.schema.validate(copy.deepcopy(arguments))
    except ToolArgumentsError as fault:
        raise _RefusedError(error_result(f"{blame} {tool.name!r}:\n{fault}")) from fault


def _refuse_if_blocked(answer: object) -> None:
    if answer is None:
        return
    from pihost.events import ToolCallResult

    if isinstance(answer, ToolCallResult) and not answer.block:
        return
    if not isinstance(answer, ToolCallResult):
        raise _RefusedError(error_result(f"The tool call was blocked: {answer!r} is no ToolCallResult."))
    reason = answer.reason or "The tool call was blocked by an extension."
    raise _RefusedError(error_result(reason, terminate=answer.terminate))
