"""What handlers are asked about a tool call: whether it may run, and what its result is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from pihost._values import Value
from pihost.content import ToolContentBlock, as_blocks
from pihost.events._base import UNSET, Event, Unset

__all__ = [
    "ToolCallEvent",
    "ToolCallFinalEvent",
    "ToolCallResult",
    "ToolResultEvent",
    "ToolResultPatch",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolCallEvent(Event):
    """A tool is about to run.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        input: The arguments, checked. Mutable: patch them in place; they are checked again afterwards.
        parent_tool_call_id: Id of the call that made this one, where a tool calls another.
    """

    hook_name: ClassVar[str] = "tool_call"
    tool_call_id: str
    tool_name: str
    input: dict[str, Any]
    parent_tool_call_id: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolCallFinalEvent(Event):
    """A tool will run with just these arguments unless somebody blocks it now.

    Attributes:
        tool_call_id: Id of the call.
        tool_name: The tool.
        input: The arguments, to read only.
        parent_tool_call_id: Id of the call that made this one, where a tool calls another.
    """

    hook_name: ClassVar[str] = "tool_call_final"
    tool_call_id: str
    tool_name: str
    input: Mapping[str, Any]
    parent_tool_call_id: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolCallResult(Value):
    """A word on a tool call.

    Attributes:
        block: Whether the call is refused.
        reason: Why, as the model will read it.
        terminate: Whether the run ends too.
    """

    block: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    reason: str | None = None
    terminate: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolResultEvent(Event):
    """A tool has run, or failed; the result is as the handlers before left it.

    Fields as in ``ToolResult``.
    """

    hook_name: ClassVar[str] = "tool_result"
    tool_call_id: str
    tool_name: str
    parent_tool_call_id: str | None = None
    input: Mapping[str, Any]
    content: list[ToolContentBlock] = attrs.field(converter=as_blocks)
    details: Any = None
    structured_content: Any = None
    is_error: bool = False


def _content(value: Iterable[ToolContentBlock] | Unset) -> list[ToolContentBlock] | Unset:
    return value if isinstance(value, Unset) else list(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolResultPatch(Value):
    """Changes to a result. What is not set stays.

    Setting ``content`` alone drops the structured content, since the two would no longer match.
    """

    content: list[ToolContentBlock] | Unset = attrs.field(default=UNSET, converter=_content)
    details: Any = UNSET
    structured_content: Any = UNSET
    is_error: bool | Unset = UNSET
