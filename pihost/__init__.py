"""pihost: a plugin host for coding agents.

Every name below is stable and imported when first used; importing the package itself does nothing else.
"""

from pihost._version import __version__

TYPE_CHECKING = False  # what typing's own says at run time, without the cost of importing it

if TYPE_CHECKING:
    from pihost.config import (
        ContinueSession,
        ForkSession,
        HostConfig,
        HostOptions,
        NewSession,
        NoSession,
        OpenSession,
    )
    from pihost.content import ImageContent, TextContent, ToolResult
    from pihost.context import ExtensionContext
    from pihost.diagnostics import Diagnostic
    from pihost.errors import PihostError
    from pihost.extensions import ExtensionAPI
    from pihost.hooks import hookimpl, hookspec
    from pihost.host import Host
    from pihost.session import AgentSession
    from pihost.tools import ToolDefinition

__all__ = [
    "AgentSession",
    "ContinueSession",
    "Diagnostic",
    "ExtensionAPI",
    "ExtensionContext",
    "ForkSession",
    "Host",
    "HostConfig",
    "HostOptions",
    "ImageContent",
    "NewSession",
    "NoSession",
    "OpenSession",
    "PihostError",
    "TextContent",
    "ToolDefinition",
    "ToolResult",
    "__version__",
    "hookimpl",
    "hookspec",
]

_HOME = {
    "AgentSession": "pihost.session",
    "ContinueSession": "pihost.config",
    "Diagnostic": "pihost.diagnostics",
    "ExtensionAPI": "pihost.extensions",
    "ExtensionContext": "pihost.context",
    "ForkSession": "pihost.config",
    "Host": "pihost.host",
    "HostConfig": "pihost.config",
    "HostOptions": "pihost.config",
    "ImageContent": "pihost.content",
    "NewSession": "pihost.config",
    "NoSession": "pihost.config",
    "OpenSession": "pihost.config",
    "PihostError": "pihost.errors",
    "TextContent": "pihost.content",
    "ToolDefinition": "pihost.tools",
    "ToolResult": "pihost.content",
    "hookimpl": "pihost.hooks",
    "hookspec": "pihost.hooks",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        message = f"module 'pihost' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
