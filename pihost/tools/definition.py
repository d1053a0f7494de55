"""What a tool is: its name, what it takes, what it does and what it promises."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Literal

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools.schema import ParameterSchema, parameter_schema

__all__ = ["Execute", "PrepareArguments", "ToolAnnotations", "ToolDefinition"]

Execute = Callable[[str, Any, ToolContext], "Awaitable[ToolResult] | ToolResult"]
"""Runs a call: its id, the checked arguments, the context. A plain function holds up the event loop."""

PrepareArguments = Callable[[Any], Any]
"""Mends arguments before they are checked; gets a copy of its own."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolAnnotations(Value):
    """Hints about a tool, for whoever decides about calls. ``None`` is "not said". Nothing enforces them.

    Attributes:
        read_only: It changes nothing.
        destructive: What it changes may be lost.
        idempotent: Calling it twice with the same arguments is calling it once.
        open_world: It reaches beyond this machine.
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(texts)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolDefinition(Value):
    """A tool as it is offered to a model and run by the host.

    Attributes:
        name: How the model calls it.
        description: What it does, for the model.
        parameters: An attrs class, whose instance ``execute`` gets, or a JSON Schema of an object, whose
            checked arguments ``execute`` gets as a dict.
        execute: ``execute(call_id, params, ctx)``; what it raises becomes an error result.
        label: How a person's screen calls it; the name where there is none.
        prompt_snippet: A line for the list of tools in the system prompt.
        prompt_guidelines: Sentences for the system prompt while the tool is active.
        prepare_arguments: Mends arguments as sent, before they are checked.
        output_schema: JSON Schema of the result's ``structured_content``.
        annotations: Hints.
        execution_mode: ``"sequential"`` where it must not run beside other calls of the same message.
        default_active: Whether it is offered without being asked for.
    """

    name: str
    description: str
    parameters: type | Mapping[str, Any]
    execute: Execute
    label: str | None = None
    prompt_snippet: str | None = None
    prompt_guidelines: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    prepare_arguments: PrepareArguments | None = None
    output_schema: Mapping[str, Any] | None = None
    annotations: ToolAnnotations = attrs.field(factory=ToolAnnotations)
    execution_mode: Literal["parallel", "sequential"] = "parallel"
    default_active: bool = True

    @cached_property
    def schema(self) -> ParameterSchema:
        """The parameters as a JSON Schema and a check, made at the first use.

        Raises:
            ToolSchemaError: they are neither an attrs class of describable fields nor a JSON Schema.
        """
        return parameter_schema(self.parameters)
