"""Makes a tool of a plain function: its signature is the tool's parameters, its docstring the description."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from pihost.content import TextContent, ToolResult
from pihost.context import ToolContext
from pihost.extensions.registrations import RegistrationError
from pihost.jsonlines import encode, to_builtins
from pihost.near import near_aside
from pihost.tools.definition import ToolDefinition

__all__ = ["as_result", "function_tool"]

_CONTEXT = "ctx"
_GIVEN = {"name", "description", "parameters", "execute"}
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def function_tool(
    extension: str,
    function: Callable[..., Any],
    *,
    name: str | None,
    description: str | None,
    fields: Mapping[str, Any],
) -> ToolDefinition:
    """The function as a tool.

    Args:
        extension: Id of the extension.
        function: Plain or async; every parameter but ``ctx`` is annotated.
        name: The tool's name; the function's by default.
        description: What it does; the docstring by default.
        fields: Further fields of ``ToolDefinition``.

    Raises:
        RegistrationError: a parameter cannot be one of a tool, or there is no such field.
    """
    if not callable(function):
        raise RegistrationError(extension, "tool", f"needs a function, not {type(function).__name__}")
    name = getattr(function, "__name__", "") if name is None else name
    subject = f"tool {name!r}"
    _check_fields(extension, subject, fields)
    parameters = _parameters(extension, subject, function)
    return ToolDefinition(
        name=name,
        description=inspect.getdoc(function) or "" if description is None else description,
        parameters=attrs.make_class(f"{name}_parameters", parameters, kw_only=True, frozen=True),
        execute=_executor(function, tuple(parameters)),
        **fields,
    )


def as_result(value: Any) -> ToolResult:
    """What a function returned, as a tool's result.

    Raises:
        TypeError: it has no JSON form.
    """
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult.from_text(value)
    text = encode(value).decode("utf-8")
    return ToolResult(content=[TextContent(text=text)], structured_content=to_builtins(value))


def _executor(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[[str, Any, ToolContext], Any]:
    with_context = _CONTEXT in inspect.signature(function).parameters

    async def execute(_call_id: str, params: Any, ctx: ToolContext) -> ToolResult:
        arguments = {name: getattr(params, name) for name in names}
        if with_context:
            arguments[_CONTEXT] = ctx
        value = function(**arguments)
        return as_result(await value if inspect.isawaitable(value) else value)

    return execute


def _parameters(extension: str, subject: str, function: Callable[..., Any]) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as fault:
        problem = f"has annotations that cannot be read: {fault}"
        raise RegistrationError(extension, subject, problem) from fault
    found: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == _CONTEXT:
            continue
        if parameter.kind not in _BY_NAME:
            raise RegistrationError(extension, subject, f"cannot take {parameter}: arguments come by name")
        if parameter.name not in hints:
            problem = (
                f"needs an annotation for its parameter {parameter.name!r}, which is the argument's type"
            )
            raise RegistrationError(extension, subject, problem)
        default = attrs.NOTHING if parameter.default is parameter.empty else parameter.default
        found[parameter.name] = attrs.field(default=default, type=hints[parameter.name], alias=parameter.name)
    return found


def _check_fields(extension: str, subject: str, fields: Mapping[str, Any]) -> None:
    known = [field.name for field in attrs.fields(ToolDefinition) if field.name not in _GIVEN]
    for name in fields:
        if name not in known:
            there_are = f"; there are: {', '.join(known)}, override"
            hint = near_aside(name, known) or there_are
            raise RegistrationError(extension, subject, f"has no field {name!r}{hint}")
