"""What every handler answers and what comes of it, told line by line to whoever debugs an extension.

What events and answers hold may be private or endless: only types, lengths, numbers and the beginning of a
refusal's reason are told, and no character that a terminal would obey.
"""

from __future__ import annotations

import copy
import enum
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ClassVar

import attrs

from pihost.display import escaped
from pihost.events import UNSET
from pihost.hooks.combination import Combination
from pihost.hooks.handler import Handler, PlannedCall

__all__ = ["Tell", "traced", "traced_combination"]

Tell = Callable[[str], None]
"""Takes a line, without its end."""

_REASON_LENGTH = 40
_LINE_LENGTH = 240

_IN_PLACE: Mapping[str, str] = MappingProxyType(
    {
        "before_agent_start": "system_prompt_options",
        "before_provider_headers": "headers",
        "tool_call": "input",
    }
)
"""The hooks whose handlers may change a field of the event, and the field."""

_at_work: ContextVar[Handler | None] = ContextVar("pihost_handler_at_work", default=None)


def traced(handler: Handler, call: PlannedCall, tell: Tell) -> PlannedCall:
    """The call of a handler, made to tell of an answer that is none; the combination tells of the others.

    Args:
        handler: The handler.
        call: Its function as a dispatch calls it.
        tell: Takes the lines.
    """
    function, _is_coroutine, event_only = call
    if handler.wrapper:

        def opened(*arguments: Any) -> Any:
            tell(_line(handler.hook, _name(handler), "wraps", "the rest runs inside it"))
            return function(*arguments)

        return opened, False, event_only

    async def followed(*arguments: Any) -> Any:
        _at_work.set(handler)
        before = _changeable(handler.hook, arguments[0])
        try:
            answer = function(*arguments)
            if inspect.isawaitable(answer):
                answer = await answer
        finally:
            _at_work.set(handler)  # what it called may have called handlers too
        if answer is None:
            after = _changeable(handler.hook, arguments[0])
            effect = f"changed {_IN_PLACE[handler.hook]} in place" if after != before else "passes on"
            tell(_line(handler.hook, _name(handler), "None", effect))
        return answer

    return followed, True, event_only


def traced_combination(base: type[Combination], tell: Tell) -> type[Combination]:
    """A combination that tells what each answer and each failure comes to.

    Args:
        base: How the answers combine.
        tell: Takes the lines.
    """
    return type(f"Traced{base.__name__}", (_Traced, base), {"told": _Told(tell)})


@attrs.frozen
class _Told:
    """Keeps a function from becoming a method where a class holds it."""

    tell: Tell


class _Traced(Combination):
    """Stands before the class that does the work."""

    told: ClassVar[_Told]
    _telling_of_a_failure = False  # which may count as a refusal too, and is told of once

    def take(self, extension: str, answer: Any) -> str | None:
        before = self._state()
        complaint = super().take(extension, answer)
        if complaint is None:
            self._say(extension, _shown(answer), self._effect(before))
        elif self.needless:
            self._say(extension, _shown(answer), "ignored: answers to this hook count for nothing")
        return complaint

    def fail(self, extension: str, fault: str) -> None:
        before = self._state()
        super().fail(extension, fault)
        self._say(extension, f"no answer: {fault}", self._effect(before, otherwise="reported"))

    def broke(self, extension: str, fault: str) -> None:
        before = self._state()
        self._telling_of_a_failure = True
        super().broke(extension, fault)
        self._telling_of_a_failure = False
        self._say(extension, _failure(fault), self._effect(before, otherwise="reported"))

    def _say(self, extension: str, answer: str, effect: str) -> None:
        handler = _at_work.get()
        at_work = handler is not None and (handler.extension, handler.hook) == (extension, self.spec.name)
        name = _name(handler) if handler is not None and at_work else extension
        if not self._telling_of_a_failure:
            self.told.tell(_line(self.spec.name, name, answer, effect))

    def _state(self) -> tuple[Any, bool, Any]:
        return self.event, self.ended, self.refusal

    def _effect(self, before: tuple[Any, bool, Any], otherwise: str = "taken") -> str:
        event, ended, refusal = before
        if self.refusal is not refusal:
            return "refuses; later handlers are not called" if self.ended else "refuses"
        if self.ended and not ended:
            return "decides; later handlers are not called"
        changed = _changed_fields(event, self.event)
        return f"changes {', '.join(changed)}" if changed else otherwise


def _failure(fault: str) -> str:
    """A failure by its type; the host's own, of which only the text is known, by the beginning of that."""
    name, colon, _ = fault.partition(":")
    return f"raised {name}" if colon and name.isidentifier() else f"failed: {fault[:_REASON_LENGTH]}"


def _changed_fields(before: Any, after: Any) -> list[str]:
    if before is after:
        return []
    if isinstance(after, Mapping):  # the arguments of a hook of an extension's own
        return [name for name in after if after[name] is not before[name]]
    fields = [field.name for field in attrs.fields(type(after))]
    return [name for name in fields if getattr(after, name) is not getattr(before, name)]


def _changeable(hook: str, event: Any) -> Any:
    field = _IN_PLACE.get(hook)
    return None if field is None else copy.deepcopy(getattr(event, field))


def _name(handler: Handler) -> str:
    own = getattr(handler.function, "__qualname__", type(handler.function).__name__)
    return f"{handler.extension} ({own})"


def _line(*parts: str) -> str:
    text = escaped(" → ".join(parts))
    return text if len(text) <= _LINE_LENGTH else f"{text[: _LINE_LENGTH - 1]}…"


def _shown(answer: object) -> str:
    """An answer as its class and fields, each cut to what cannot be private."""
    cls = type(answer)
    if not attrs.has(cls):
        return _short(answer)
    fields = [(field.name, getattr(answer, field.name)) for field in attrs.fields(cls)]
    told = [f"{name}={_reason(v) if name == 'reason' else _short(v)}" for name, v in fields if v is not UNSET]
    return f"{cls.__name__}({', '.join(told)})"


def _reason(value: object) -> str:
    text = value if isinstance(value, str) else _short(value)
    return repr(text if len(text) <= _REASON_LENGTH else f"{text[: _REASON_LENGTH - 1]}…")


def _short(value: object) -> str:
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, str | bytes | list | tuple | dict | set | frozenset):
        return f"<{type(value).__name__} of {len(value)}>"
    return f"<{type(value).__name__}>"
