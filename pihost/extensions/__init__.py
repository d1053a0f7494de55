"""Extensions, from a file on disk to a bound part of a session. Each name is imported when first used."""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.context import UI, CommandContext
    from pihost.diagnostics import ExtensionError
    from pihost.errors import ExtensionNotReadyError
    from pihost.extensions.actions import ContextActions, ExtensionActions, ProviderActions
    from pihost.extensions.admission import Admission, Admitted, Dropped, admit
    from pihost.extensions.api import ExtensionAPI
    from pihost.extensions.bound import BindResult, BoundExtension
    from pihost.extensions.candidate import Candidate, Discovery, Requires, Source
    from pihost.extensions.discovery import discover
    from pihost.extensions.loader import load_extensions
    from pihost.extensions.mcp_registration import McpMounter, RegisteredMcpServer
    from pihost.extensions.records import Extension, LoadResult
    from pihost.extensions.runner import ExtensionRunner, emit_project_trust
    from pihost.extensions.runtime import ExtensionRuntime, create_extension_runtime

__all__ = [
    "UI",
    "Admission",
    "Admitted",
    "BindResult",
    "BoundExtension",
    "Candidate",
    "CommandContext",
    "ContextActions",
    "Discovery",
    "Dropped",
    "Extension",
    "ExtensionAPI",
    "ExtensionActions",
    "ExtensionError",
    "ExtensionNotReadyError",
    "ExtensionRunner",
    "ExtensionRuntime",
    "LoadResult",
    "McpMounter",
    "ProviderActions",
    "RegisteredMcpServer",
    "Requires",
    "Source",
    "admit",
    "create_extension_runtime",
    "discover",
    "emit_project_trust",
    "load_extensions",
]

_MODULES = {
    "UI": "pihost.context",
    "Admission": ".admission",
    "Admitted": ".admission",
    "BindResult": ".bound",
    "BoundExtension": ".bound",
    "Candidate": ".candidate",
    "CommandContext": "pihost.context",
    "ContextActions": ".actions",
    "Discovery": ".candidate",
    "Dropped": ".admission",
    "Extension": ".records",
    "ExtensionAPI": ".api",
    "ExtensionActions": ".actions",
    "ExtensionError": "pihost.diagnostics",
    "ExtensionNotReadyError": "pihost.errors",
    "ExtensionRunner": ".runner",
    "ExtensionRuntime": ".runtime",
    "LoadResult": ".records",
    "McpMounter": ".mcp_registration",
    "ProviderActions": ".actions",
    "RegisteredMcpServer": ".mcp_registration",
    "Requires": ".candidate",
    "Source": ".candidate",
    "admit": ".admission",
    "create_extension_runtime": ".runtime",
    "discover": ".discovery",
    "emit_project_trust": ".runner",
    "load_extensions": ".loader",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
