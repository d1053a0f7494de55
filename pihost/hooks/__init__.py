"""Hooks: how they are declared, who answers them, how they are called and what their answers come to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.hooks._markers import Kind, hookimpl, hookspec
    from pihost.hooks.errors import (
        HandlerTimeoutError,
        HookRegistrationError,
        HookspecError,
        UnknownHookError,
    )
    from pihost.hooks.protocol import Dispatcher
    from pihost.hooks.reference import FieldDocument, HookDocument, hook_documents
    from pihost.hooks.table import HookTable

__all__ = [
    "Dispatcher",
    "FieldDocument",
    "HandlerTimeoutError",
    "HookDocument",
    "HookRegistrationError",
    "HookTable",
    "HookspecError",
    "Kind",
    "UnknownHookError",
    "hook_documents",
    "hookimpl",
    "hookspec",
]

_HOMES = {
    "Dispatcher": "protocol",
    "FieldDocument": "reference",
    "HandlerTimeoutError": "errors",
    "HookDocument": "reference",
    "HookRegistrationError": "errors",
    "HookTable": "table",
    "HookspecError": "errors",
    "Kind": "_markers",
    "UnknownHookError": "errors",
    "hook_documents": "reference",
    "hookimpl": "_markers",
    "hookspec": "_markers",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
