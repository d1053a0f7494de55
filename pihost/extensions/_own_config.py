"""An extension's own settings, checked against a class that the extension brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import attrs

from pihost.errors import PihostError
from pihost.structure import faults_of, strict_converter

__all__ = ["ExtensionConfigError", "structure_config"]

_T = TypeVar("_T")


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

    try:
        settings: Any = strict_converter().structure(dict(table), cls)
    except cattrs.BaseValidationError as fault:
        found = faults_of(fault, f"extension.{extension}")
        raise ExtensionConfigError(extension, found) from None
    return cast(_T, settings)
