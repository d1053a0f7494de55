"""Extensions, from a file on disk to a bound part of a session. Each name is imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.diagnostics import ExtensionError
    from pihost.errors import ExtensionNotReadyError
    from pihost.extensions.admission import Admission, Admitted, Dropped, admit
    from pihost.extensions.api import ExtensionAPI
    from pihost.extensions.bound import BindResult, BoundExtension
    from pihost.extensions.candidate import Candidate, Discovery, Requires, Source
    from pihost.extensions.discovery import discover
    from pihost.extensions.loader import load_extensions
    from pihost.extensions.records import Extension, LoadResult
    from pihost.extensions.runner import ExtensionRunner, emit_project_trust
    from pihost.extensions.runtime import ExtensionRuntime, create_extension_runtime

__all__ = [
    "Admission",
    "Admitted",
    "BindResult",
    "BoundExtension",
    "Candidate",
    "Discovery",
    "Dropped",
    "Extension",
    "ExtensionAPI",
    "ExtensionError",
    "ExtensionNotReadyError",
    "ExtensionRunner",
    "ExtensionRuntime",
    "LoadResult",
    "Requires",
    "Source",
    "admit",
    "create_extension_runtime",
    "discover",
    "emit_project_trust",
    "load_extensions",
]

_MODULES = {
    "Admission": "pihost.extensions.admission",
    "Admitted": "pihost.extensions.admission",
    "BindResult": "pihost.extensions.bound",
    "BoundExtension": "pihost.extensions.bound",
    "Candidate": "pihost.extensions.candidate",
    "Discovery": "pihost.extensions.candidate",
    "Dropped": "pihost.extensions.admission",
    "Extension": "pihost.extensions.records",
    "ExtensionAPI": "pihost.extensions.api",
    "ExtensionError": "pihost.diagnostics",
    "ExtensionNotReadyError": "pihost.errors",
    "ExtensionRunner": "pihost.extensions.runner",
    "ExtensionRuntime": "pihost.extensions.runtime",
    "LoadResult": "pihost.extensions.records",
    "Requires": "pihost.extensions.candidate",
    "Source": "pihost.extensions.candidate",
    "admit": "pihost.extensions.admission",
    "create_extension_runtime": "pihost.extensions.runtime",
    "discover": "pihost.extensions.discovery",
    "emit_project_trust": "pihost.extensions.runner",
    "load_extensions": "pihost.extensions.loader",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value
