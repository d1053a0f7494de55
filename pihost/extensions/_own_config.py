"""An extension's own settings, checked against a class that the extension brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import attrs

from pihost.errors import PihostError
from pihost.near import near_aside

__all__ = ["ExtensionConfigError", "structure_config"]

_T = TypeVar("_T")


class _WrongTypeError(TypeError):
    """A value of another type than its place takes; the text says which."""


class ExtensionConfigError(PihostError):
    """An extension's own settings are not what it takes.

    Attributes:
        extension: Id of the extension.
        faults: Every fault, each with its place.
    """

    def __init__(self, extension: str, faults: tuple[str, ...]) -> None:
        super().__init__(extension, faults)
        self.extension = extension
        self.faults = faults
        self.hint = f"Mend [extension.{extension}] in the settings."

    def __str__(self) -> str:
        return f"Settings of extension {self.extension!r}: {'; '.join(self.faults)}"


def structure_config(extension: str, table: Mapping[str, Any], cls: type[_T]) -> _T:
    """The settings of an extension as an instance of its class.

    Nothing is converted: a string is no number, a number no string, and unknown keys are faults.

    Args:
        extension: Id of the extension.
        table: ``[extension.<id>]`` of the settings.
        cls: An attrs class.

    Raises:
        ExtensionConfigError: with every fault and its place.
        TypeError: ``cls`` is no attrs class.
    """
    if not attrs.has(cls):
        raise TypeError(f"get_config takes an attrs class, not {cls!r}")
    # Most extensions have no settings, and cattrs is slow to import.
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (bool, int, float, str):
        converter.register_structure_hook(kind, _exactly)
    try:
        settings: Any = converter.structure(dict(table), cls)
    except cattrs.BaseValidationError as fault:
        found = cattrs.transform_error(fault, path=f"extension.{extension}", format_exception=_text)
        raise ExtensionConfigError(extension, tuple(found)) from None
    return cast(_T, settings)


def _exactly(value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise _WrongTypeError(f"expected {kind.__name__}, not {value!r}")
    return value


def _text(fault: BaseException, kind: type | None) -> str:
    import cattrs

    if isinstance(fault, cattrs.ForbiddenExtraKeysError):
        return f"unknown {_unknown(fault)}"
    if isinstance(fault, KeyError):
        return f"{fault.args[0]!r} is required, but missing"
    own_check = kind is None or (isinstance(fault, ValueError) and isinstance(kind, type))
    if own_check or isinstance(fault, _WrongTypeError):
        # A validator of attrs adds the attribute and the value to its text.
        return str(fault.args[0]) if fault.args else type(fault).__name__
    return f"expected {kind.__name__ if isinstance(kind, type) else str(kind).removeprefix('typing.')}"


def _unknown(fault: Any) -> str:
    known = [field.name for field in attrs.fields(fault.cl)]
    return ", ".join(f"{name!r}{near_aside(name, known)}" for name in sorted(fault.extra_fields))
