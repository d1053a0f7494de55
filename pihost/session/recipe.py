"""The model that is always there: no language model, it runs the steps written in the prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import attrs

from pihost.content import TextContent, ToolCall, Usage
from pihost.jsonlines import encode
from pihost.messages import (
    AssistantMessage,
    Message,
    TextDelta,
    ToolCallDelta,
    ToolResultMessage,
    UserMessage,
)
from pihost.model import Model
from pihost.models.protocol import Done, ModelRequest, ProviderHooks, Start, StreamEvent
from pihost.session._recipe_steps import STEPS_HELP, NotAStepError, Step, parse_step, recipe_lines

__all__ = ["RECIPE_MODEL", "RecipeProvider"]

RECIPE_MODEL = Model(provider="local", id="recipe", name="Recipe (no language model)", api="recipe")
"""The model's listing."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Outcome:
    """What a step came to."""

    line: str
    text: str
    failed: bool


@attrs.define(kw_only=True, eq=False, repr=False)
class _Progress:
    """How far a recipe has come.

    Attributes:
        outcomes: The steps that ran.
        waiting: The lines that did not run.
        next: The call to make now, if the recipe goes on.
        stopped_by: The line that stopped it, if one did.
    """

    outcomes: list[_Outcome] = attrs.field(factory=list)
    waiting: list[str] = attrs.field(factory=list)
    next: Step | None = None
    stopped_by: str | None = None


class RecipeProvider:
    """The provider ``local`` with the one model ``recipe``.

    It keeps nothing: how far a recipe has come is read from the conversation, so that it goes on after a
    resume.

    Args:
        app_name: The command's name, for the way to a real model.
    """

    def __init__(self, app_name: str = "pihost") -> None:
        self._app_name = app_name

    @property
    def id(self) -> str:
        """The provider's name."""
        return RECIPE_MODEL.provider

    def models(self) -> Sequence[Model]:
        """The recipe model."""
        return (RECIPE_MODEL,)

    async def stream(self, request: ModelRequest, hooks: ProviderHooks) -> AsyncIterator[StreamEvent]:
        """The next step of the recipe as a tool call, or the report at its end."""
        await hooks.before_headers({})
        await hooks.before_request(_payload(request))
        await hooks.after_response(200, {})
        yield Start()
        progress = self._progress(request.messages)
        if progress.next is not None:
            call = ToolCall(
                id=f"recipe-{len(request.messages)}",
                name=progress.next.tool,
                arguments=progress.next.arguments,
            )
            await hooks.stream_event({"type": "tool_call", "name": call.name, "arguments": call.arguments})
            arguments = encode(call.arguments).decode()
            yield ToolCallDelta(index=0, id=call.id, name=call.name, arguments_json=arguments)
            answer = AssistantMessage(content=[call], stop_reason="tool_use")
        else:
            answer = self._report(progress)
            await hooks.stream_event({"type": "text", "text": answer.text})
            yield TextDelta(index=0, text=answer.text)
        yield Done(stop_reason=answer.stop_reason, usage=Usage(), message=answer)

    def _progress(self, messages: Sequence[Message]) -> _Progress:
        text, results = _last_prompt(messages)
        lines = recipe_lines(text)
        progress = _Progress()
        remaining = iter(results)
        for index, line in enumerate(lines):
            tolerant = line.startswith("-")
            try:
                step = parse_step(line.removeprefix("-").strip())
            except NotAStepError as fault:
                outcome = _Outcome(line=line, text=self._no_step(line, str(fault)), failed=True)
            else:
                result = next(remaining, None)
                if result is None:
                    progress.next = step
                    return progress
                outcome = _Outcome(line=line, text=result.text, failed=result.is_error)
            progress.outcomes.append(outcome)
            if outcome.failed and not tolerant:
                progress.stopped_by = line
                progress.waiting = lines[index + 1 :]
                break
        return progress

    def _report(self, progress: _Progress) -> AssistantMessage:
        outcomes = progress.outcomes
        if not outcomes:
            text = f"There is no step to run. {self._who()}"
        elif len(outcomes) == 1 and not progress.waiting:
            text = outcomes[0].text
        else:
            text = "\n\n".join(_shown(outcome) for outcome in outcomes)
            if progress.waiting:
                text += "\n\nNot run:\n" + "\n".join(f"  {line}" for line in progress.waiting)
        content = [TextContent(text=text)]
        if progress.stopped_by is None:
            return AssistantMessage(content=content)
        number = len(outcomes)
        fault = f"Step {number} failed: {progress.stopped_by}"
        return AssistantMessage(content=content, stop_reason="error", error_message=fault)

    def _no_step(self, line: str, fault: str) -> str:
        if fault:
            return f"{line!r} is no step: {fault}. {self._who()}"
        return f"{line!r} is no step. {self._who()}"

    def _who(self) -> str:
        return (
            f"{RECIPE_MODEL.ref} is not a language model. It runs the steps written in the prompt, one a "
            f"line:\n"
            f"{STEPS_HELP}\n"
            "A line that begins with - may fail; lines that begin with # are skipped.\n"
            f"To have a language model answer, install an extension that brings one and choose it with "
            f"`{self._app_name} --model provider/id` or default_model in the settings."
        )


def _shown(outcome: _Outcome) -> str:
    title = f"{outcome.line} (failed)" if outcome.failed else outcome.line
    return f"{title}\n{outcome.text}"


def _last_prompt(messages: Sequence[Message]) -> tuple[str, list[ToolResultMessage]]:
    """The last thing the user said, and the results of tool calls since."""
    results: list[ToolResultMessage] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            return message.text, results[::-1]
        if isinstance(message, ToolResultMessage):
            results.append(message)
    return "", []


def _payload(request: ModelRequest) -> dict[str, Any]:
    """The request as extensions see it; there is no wire, so it is as plain as can be."""
    messages = [
        {"role": message.role, "text": message.text if hasattr(message, "text") else ""}
        for message in request.messages
    ]
    return {
        "model": request.model.id,
        "system": request.system_prompt,
        "messages": messages,
        "tools": [tool.name for tool in request.tools],
    }
