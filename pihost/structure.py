"""Outside data into attrs classes: nothing is converted, and every fault is told with its place."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import attrs

from pihost.near import near_aside

if TYPE_CHECKING:
    import cattrs

__all__ = ["WrongTypeError", "faults_of", "strict_converter"]


class WrongTypeError(TypeError):
    """A value of another type than its place takes; the text says which."""


def strict_converter() -> cattrs.Converter:
    """A converter for which a string is no number, a number no string, and an unknown key a fault."""
    import cattrs  # slow to import, and much that knows of structures never makes one

    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (bool, int, float, str):
        converter.register_structure_hook(kind, _exactly)
    return converter


def faults_of(fault: cattrs.BaseValidationError, path: str) -> tuple[str, ...]:
    """Every fault that a converter found, as sentences that end in the place.

    Args:
        fault: What the converter raised.
        path: The place of the whole value.
    """
    import cattrs

    return tuple(cattrs.transform_error(fault, path=path, format_exception=_text))


def _exactly(value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise WrongTypeError(f"expected {kind.__name__}, not {value!r:.80}")
    return value


def _text(fault: BaseException, kind: type | None) -> str:
    import cattrs

    if isinstance(fault, cattrs.ForbiddenExtraKeysError):
        return f"unknown {_unknown(fault)}"
    if isinstance(fault, KeyError):
        return f"{fault.args[0]!r} is required, but missing"
    own_check = kind is None or (isinstance(fault, ValueError) and isinstance(kind, type))
    if own_check or isinstance(fault, WrongTypeError):
        # A validator of attrs adds the attribute and the value to its text.
        return str(fault.args[0]) if fault.args else type(fault).__name__
    return f"expected {_wanted(kind)}"


def _wanted(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_wanted(one) for one in get_args(kind))
    if kind is type(None):
        return "nothing"
    return kind.__name__ if isinstance(kind, type) else str(kind).removeprefix("typing.")


def _unknown(fault: Any) -> str:
    known = [field.name for field in attrs.fields(fault.cl)]
    return ", ".join(f"{name!r}{near_aside(name, known)}" for name in sorted(fault.extra_fields))
