"""What a tool takes: a JSON Schema for the model and a check of the arguments it sends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec

from pihost.errors import PihostError
from pihost.near import near_aside
from pihost.tools._json_schema import bounds_at, closed_schema, unknown_keys

__all__ = ["ArgumentFault", "ParameterSchema", "ToolArgumentsError", "ToolSchemaError", "parameter_schema"]

_MESSAGE_LENGTH = 300
_FAULT = re.compile(r"(?P<text>.*?)(?: - at (?P<path>.*))?", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`")


@attrs.frozen
class ArgumentFault:
    """One thing wrong with arguments.

    Attributes:
        path: Where, as in ``$.edits[0].old_text``.
        expected: What is wrong there and what would be right.
    """

    path: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path}: {self.expected}"


class ToolArgumentsError(PihostError):
    """Arguments that a tool does not take.

    Attributes:
        faults: Every fault found, in order.
    """

    def __init__(self, faults: tuple[ArgumentFault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(f"- {fault}" for fault in self.faults)


class ToolSchemaError(PihostError):
    """Parameters of a tool that cannot be turned into a schema or a check.

    Attributes:
        subject: The class, or ``"JSON Schema"``.
        reason: What is wrong with it.
    """

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(subject, reason)
        self.subject = subject
        self.reason = reason

    def __str__(self) -> str:
        return f"Tool parameters ({self.subject}): {self.reason}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ParameterSchema:
    """The parameters of one tool.

    Attributes:
        json_schema: For the model: one object, every class of it written out in place, no keys besides those
            it names (a raw schema is as its author wrote it).
        check: See ``validate``.
    """

    json_schema: Mapping[str, Any]
    check: Callable[[Any], Any]

    def validate(self, arguments: Any) -> Any:
        """The arguments as the tool wants them: an instance of its class, or the checked dict.

        Args:
            arguments: As sent, or as ``prepare_arguments`` left them.

        Raises:
            ToolArgumentsError: they do not fit.
            ToolSchemaError: the raw schema itself is not valid.
        """
        return self.check(arguments)


def parameter_schema(parameters: object) -> ParameterSchema:
    """The schema of an attrs class, or of a raw JSON Schema.

    Args:
        parameters: As in ``ToolDefinition``.

    Raises:
        ToolSchemaError: it is neither, or the class has a field that JSON cannot express.
    """
    if isinstance(parameters, Mapping):
        return _raw_schema(parameters)
    if isinstance(parameters, type) and attrs.has(parameters):
        return _class_schema(parameters)
    raise ToolSchemaError(repr(parameters), "expected an attrs class or a JSON Schema as a dict")


def _class_schema(parameters: type) -> ParameterSchema:
    try:
        schema = closed_schema(msgspec.json.schema(parameters))
    except (TypeError, NameError) as fault:
        raise ToolSchemaError(parameters.__name__, str(fault)) from fault

    def check(arguments: Any) -> Any:
        faults = [_unknown(*found) for found in unknown_keys(schema, arguments)]
        try:
            value: Any = msgspec.convert(arguments, parameters)
        except msgspec.ValidationError as fault:
            faults.append(_conversion_fault(str(fault), schema))
        else:
            if not faults:
                return value
        raise ToolArgumentsError(tuple(faults))

    return ParameterSchema(json_schema=schema, check=check)


def _conversion_fault(message: str, schema: Mapping[str, Any]) -> ArgumentFault:
    match = _FAULT.fullmatch(message)
    text, path = (match["text"], match["path"]) if match else (message, None)
    where = path.strip("`") if path else "$"
    missing = _MISSING.fullmatch(text)
    if missing:
        return ArgumentFault(f"{where}.{missing['name']}", "required, but missing")
    bounds = bounds_at(schema, where)
    return ArgumentFault(where, text.replace("`", "") + (f" (a number {bounds})" if bounds else ""))


def _unknown(path: str, key: str, known: tuple[str, ...]) -> ArgumentFault:
    hint = near_aside(key, known, most=3) or f"; known are: {', '.join(known) or 'none'}"
    return ArgumentFault(f"{path}.{key}", f"unknown{hint}")


def _raw_schema(schema: Mapping[str, Any]) -> ParameterSchema:
    plain = dict(schema)
    validators: list[Any] = []

    def check(arguments: Any) -> Any:
        if not validators:
            validators.append(_raw_validator(plain))
        faults = tuple(_raw_faults(validators[0], arguments))
        if faults:
            raise ToolArgumentsError(faults)
        return arguments

    return ParameterSchema(json_schema=plain, check=check)


def _raw_validator(schema: dict[str, Any]) -> Any:
    # A tool that brings no schema of its own must not pay a tenth of a second for these imports.
    import jsonschema
    from referencing import Registry

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as fault:
        raise ToolSchemaError("JSON Schema", f"{fault.json_path}: {fault.message}") from fault
    # An empty registry: a reference to a schema elsewhere is never fetched.
    return kind(schema, registry=Registry())


def _raw_faults(validator: Any, arguments: Any) -> list[ArgumentFault]:
    from referencing.exceptions import Unresolvable

    try:
        errors = sorted(validator.iter_errors(arguments), key=lambda error: str(error.json_path))
    except Unresolvable as fault:
        raise ToolSchemaError("JSON Schema", f"reference to {fault.ref!r} leads nowhere") from fault
    return [fault for error in errors for fault in _translated(error)]


def _translated(error: Any) -> list[ArgumentFault]:
    if error.validator != "additionalProperties" or error.validator_value is not False:
        return [ArgumentFault(error.json_path, error.message[:_MESSAGE_LENGTH])]
    known = tuple(error.schema.get("properties", {}))
    patterns = [re.compile(pattern) for pattern in error.schema.get("patternProperties", {})]
    return [
        _unknown(error.json_path, key, known)
        for key in error.instance
        if key not in known and not any(pattern.search(key) for pattern in patterns)
    ]
