"""How answers combine at hooks about which their kind does not say everything: a policy for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from pihost.content import ImageContent, TextContent, ToolResult
from pihost.events import (
    UNSET,
    Cancel,
    InputResult,
    Settle,
    ToolCallResult,
    ToolResultPatch,
    UserBashResult,
)
from pihost.hooks.combination import COMBINATIONS, Combination, First, Gate
from pihost.hooks.specs import Spec
from pihost.messages import (
    AssistantMessage,
    CustomMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)

__all__ = ["combination_of"]

_MESSAGES = (SystemMessage, UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)
_BLOCKS = (TextContent, ImageContent)


class ProjectTrust(First):
    """``undecided`` is no answer. The word says whose it is, whatever the handler put there."""

    def _fold(self, extension: str, answer: Any) -> str | None:
        return super()._fold(extension, attrs.evolve(answer, extension=extension))

    def _is_answer(self, answer: Any) -> bool:
        return bool(answer.trusted != "undecided")


class UserBash(First):
    """A handler that fails refuses the command: its result is then an error that says who and why."""

    fails_closed = True

    def fail(self, extension: str, fault: str) -> None:
        if self.refusal is not None:
            return
        reason = f"Refused: extension {extension!r} failed in user_bash: {fault}"
        self._answer = UserBashResult(result=ToolResult.from_text(reason, is_error=True))
        self.refusal = (extension, reason)
        self.ended = True

    def _fold(self, extension: str, answer: Any) -> str | None:
        if answer.result is not None and not isinstance(answer.result, ToolResult):
            return f"answered a result of type {type(answer.result).__name__}; it must be a ToolResult"
        return super()._fold(extension, answer)


class ToolCallGate(Gate):
    """``block=True`` blocks, and so does a handler that fails."""

    fails_closed = True

    def fail(self, extension: str, fault: str) -> None:
        reason = f"Blocked: extension {extension!r} failed in {self.spec.name}: {fault}"
        self._refuse(extension, ToolCallResult(block=True, reason=reason), reason)

    def _fold(self, extension: str, answer: Any) -> str | None:
        if not isinstance(answer.reason, str | None):
            return f"answered a reason of type {type(answer.reason).__name__}; it must be text"
        if answer.block:
            self._refuse(extension, answer, answer.reason or f"Blocked by extension {extension!r}")
        return None

    def _refuse(self, extension: str, answer: ToolCallResult, reason: str) -> None:
        if self.refusal is None:
            self._answer = answer
            self.refusal = (extension, reason)
            self.ended = True


class SessionGate(Gate):
    """``Cancel`` ends the dispatch; anything else is a proposal, of which the last counts.

    A handler that ran out of time may have been about to cancel, so it has.
    """

    def ran_late(self, extension: str, fault: str) -> None:
        self._cancel(Cancel(reason=f"extension {extension!r} gave no answer: {fault}"))

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        if isinstance(answer, Cancel):
            self._cancel(answer)
            return None
        if self.ended:
            return None
        fault = _proposal_fault(answer)
        if fault is None:
            self._answer = answer
        return fault

    def _cancel(self, answer: Cancel) -> None:
        if not isinstance(self._answer, Cancel):
            self._answer = answer
        self.ended = True


class Input(Combination):
    """Texts and pictures replace those before; ``handled`` ends the dispatch."""

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._result = InputResult.continue_()

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        if answer.action == "transform":
            if not isinstance(answer.text, str):
                return f"answered a text of type {type(answer.text).__name__}"
            self.event = attrs.evolve(self.event, text=answer.text, images=answer.images)
            self._result = answer
        elif answer.action == "handled":
            self._result = answer
            self.ended = True
        elif answer.action != "continue":
            return f"answered the action {answer.action!r}; make answers with transform, handled or continue_"
        return None

    def value(self) -> Any:
        return self._result


class BeforeAgentStart(Combination):
    """Messages add up; the last system prompt counts, and later handlers see it."""

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._messages: list[CustomMessage] = []

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        if not isinstance(answer.message, CustomMessage | None):
            return f"answered a message of type {type(answer.message).__name__}; it must be a CustomMessage"
        if not isinstance(answer.system_prompt, str | None):
            return f"answered a system prompt of type {type(answer.system_prompt).__name__}; it must be text"
        if answer.message is not None:
            self._messages.append(answer.message)
        if answer.system_prompt is not None:
            self.event = attrs.evolve(self.event, system_prompt=answer.system_prompt)
        return None

    def value(self) -> Any:
        return tuple(self._messages), self.event.system_prompt


class AgentBeforeSettle(Combination):
    """Messages add up, and later handlers see them; the run goes on if anybody says so."""

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._settle = Settle()

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        fault = _not_all(answer.messages, (CustomMessage,), "messages")
        if fault is None:
            self.event = attrs.evolve(self.event, messages=(*self.event.messages, *answer.messages))
            self._settle = Settle(
                messages=(*self._settle.messages, *answer.messages),
                go_on=bool(self._settle.go_on or answer.go_on),
            )
        return fault

    def value(self) -> Any:
        return self._settle


class Context(Combination):
    """The messages of each answer take the place of those before."""

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        fault = _not_all(answer.messages, _MESSAGES, "messages")
        if fault is None:
            self.event = attrs.evolve(self.event, messages=answer.messages)
        return fault

    def value(self) -> Any:
        return self.event.messages


class ContextWithSystem(Context):
    """The same; whoever drops the system message is reported, and has it dropped."""

    def _fold(self, extension: str, answer: Any) -> str | None:
        had = _starts_with_system(self.event.messages)
        fault = super()._fold(extension, answer)
        if fault is None and had and not _starts_with_system(answer.messages):
            return "dropped the system message: the request goes out without it"
        return fault


class BeforeProviderRequest(Combination):
    """Each payload takes the place of the one before, an empty one too."""

    def _fold(self, extension: str, answer: Any) -> None:  # noqa: ARG002 -- the base's names
        self.event = attrs.evolve(self.event, payload=answer)

    def value(self) -> Any:
        return self.event.payload


class MessageEnd(Combination):
    """Each message takes the place of the one before, if it has the same role."""

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        old: Message = self.event.message
        if type(answer.message) is not type(old):
            got = getattr(answer.message, "role", type(answer.message).__name__)
            return f"answered a message of role {got!r}; it must keep the role {old.role!r}"
        self.event = attrs.evolve(self.event, message=answer.message)
        return None

    def value(self) -> Any:
        return self.event.message


class ToolResultChain(Combination):
    """What a patch sets replaces what was; new content alone drops the structured content.

    A handler that broke may have had something to take out of the result: the model is told, and nobody after
    it can hide that.
    """

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._marks: list[TextContent] = []

    def broke(self, extension: str, fault: str) -> None:
        self._marks.append(TextContent(text=f"[Extension {extension!r} failed on this result: {fault}]"))

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        fault = _patch_fault(answer)
        if fault is None:
            self.event = attrs.evolve(self.event, **_changes(answer))
        return fault

    def value(self) -> Any:
        event = self.event
        return ToolResult(
            content=[*event.content, *self._marks],
            details=event.details,
            structured_content=event.structured_content,
            is_error=event.is_error or bool(self._marks),
        )


def _proposal_fault(answer: Any) -> str | None:
    if not isinstance(answer.summary, str) or not answer.summary.strip():
        return "answered without a summary; it must be text that is not empty"
    return None


def _changes(patch: ToolResultPatch) -> dict[str, Any]:
    names = ("content", "details", "structured_content", "is_error")
    changes = {name: getattr(patch, name) for name in names if getattr(patch, name) is not UNSET}
    if "content" in changes:
        changes.setdefault("structured_content", None)
    return changes


def _patch_fault(patch: Any) -> str | None:
    if patch.is_error is not UNSET and not isinstance(patch.is_error, bool):
        return f"answered is_error of type {type(patch.is_error).__name__}; it must be True or False"
    return None if patch.content is UNSET else _not_all(patch.content, _BLOCKS, "content")


def _not_all(values: Any, classes: tuple[type, ...], what: str) -> str | None:
    """What is wrong with the first of ``values`` that belongs to none of ``classes``."""
    for value in values:
        if not isinstance(value, classes):
            wanted = " or ".join(c.__name__ for c in classes)
            return f"answered {what} with a value of type {type(value).__name__}; each must be {wanted}"
    return None


def _starts_with_system(messages: tuple[Message, ...]) -> bool:
    return bool(messages) and isinstance(messages[0], SystemMessage)


_BY_NAME: Mapping[str, type[Combination]] = {
    "agent_before_settle": AgentBeforeSettle,
    "before_agent_start": BeforeAgentStart,
    "before_provider_request": BeforeProviderRequest,
    "context": Context,
    "context_with_system": ContextWithSystem,
    "input": Input,
    "message_end": MessageEnd,
    "project_trust": ProjectTrust,
    "session_before_compact": SessionGate,
    "session_before_fork": SessionGate,
    "session_before_switch": SessionGate,
    "session_before_tree": SessionGate,
    "tool_call": ToolCallGate,
    "tool_call_final": ToolCallGate,
    "tool_result": ToolResultChain,
    "user_bash": UserBash,
}


def combination_of(spec: Spec) -> type[Combination]:
    """The class that combines the answers to this hook."""
    special = _BY_NAME.get(spec.name) if spec.owner is None else None
    return special or COMBINATIONS[spec.kind]
