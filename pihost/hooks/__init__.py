"""Hooks: how they are declared, who answers them, how they are called and what their answers come to."""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.hooks._markers import Kind, hookimpl, hookspec
    from pihost.hooks.errors import (
        HandlerTimeoutError,
        HookRegistrationError,
        HookspecError,
        UnknownHookError,
    )
    from pihost.hooks.observation import Observer
    from pihost.hooks.protocol import Dispatcher
    from pihost.hooks.reference import FieldDocument, HookDocument, hook_documents
    from pihost.hooks.table import HookTable
    from pihost.hooks.timing import HandlerTime

__all__ = [
    "Dispatcher",
    "FieldDocument",
    "HandlerTime",
    "HandlerTimeoutError",
    "HookDocument",
    "HookRegistrationError",
    "HookTable",
    "HookspecError",
    "Kind",
    "Observer",
    "UnknownHookError",
    "hook_documents",
    "hookimpl",
    "hookspec",
]

_MODULES = {
    "Dispatcher": ".protocol",
    "FieldDocument": ".reference",
    "HandlerTime": ".timing",
    "HandlerTimeoutError": ".errors",
    "HookDocument": ".reference",
    "HookRegistrationError": ".errors",
    "HookTable": ".table",
    "HookspecError": ".errors",
    "Kind": "._markers",
    "Observer": ".observation",
    "UnknownHookError": ".errors",
    "hook_documents": ".reference",
    "hookimpl": "._markers",
    "hookspec": "._markers",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
