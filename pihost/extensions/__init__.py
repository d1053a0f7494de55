"""Extensions, from a file on disk to a bound part of a session. Each name is imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.diagnostics import ExtensionError
    from pihost.errors import ExtensionNotReadyError
    from pihost.extensions.admission import Admission, Admitted, Dropped, admit
    from pihost.extensions.candidate import Candidate, Discovery, Requires, Source

__all__ = [
    "Admission",
    "Admitted",
    "Candidate",
    "Discovery",
    "Dropped",
    "ExtensionError",
    "ExtensionNotReadyError",
    "Requires",
    "Source",
    "admit",
]

_MODULES = {
    "Admission": "pihost.extensions.admission",
    "Admitted": "pihost.extensions.admission",
    "Candidate": "pihost.extensions.candidate",
    "Discovery": "pihost.extensions.candidate",
    "Dropped": "pihost.extensions.admission",
    "ExtensionError": "pihost.diagnostics",
    "ExtensionNotReadyError": "pihost.errors",
    "Requires": "pihost.extensions.candidate",
    "Source": "pihost.extensions.candidate",
    "admit": "pihost.extensions.admission",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value
