"""Extensions, from a file on disk to a bound part of a session. Each name is imported when first used."""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.config import Mode
    from pihost.content import UserContent
    from pihost.context import (
        UI,
        CommandContext,
        ContextUsage,
        ModelCatalog,
        NotifyLevel,
        SessionChange,
        SessionReader,
    )
    from pihost.diagnostics import ExtensionError
    from pihost.entries import (
        CompactionEntry,
        CustomEntry,
        CustomMessageEntry,
        Entry,
        LabelEntry,
        MessageEntry,
        ModelChangeEntry,
        SessionInfoEntry,
        StoredMessage,
        ThinkingLevelChangeEntry,
    )
    from pihost.errors import ExtensionNotReadyError
    from pihost.extensions._api_own import Channels, HookCalls
    from pihost.extensions._exec import ExecResult
    from pihost.extensions.actions import (
        ContextActions,
        DeliverAs,
        ExtensionActions,
        ProviderActions,
    )
    from pihost.extensions.admission import Admission, Admitted, Dropped, admit
    from pihost.extensions.api import ExtensionAPI
    from pihost.extensions.bound import BindResult, BoundExtension
    from pihost.extensions.candidate import Candidate, Discovery, Requires, Source
    from pihost.extensions.discovery import discover
    from pihost.extensions.infos import CommandInfo, ToolInfo
    from pihost.extensions.loader import load_extensions
    from pihost.extensions.mcp_registration import McpMounter, RegisteredMcpServer
    from pihost.extensions.owned import Closer
    from pihost.extensions.records import Extension, LoadResult
    from pihost.extensions.registrations import CommandHandler, Completer, FlagType
    from pihost.extensions.runner import ExtensionRunner, emit_project_trust
    from pihost.extensions.runtime import ExtensionRuntime, create_extension_runtime
    from pihost.settings import Settings

__all__ = [
    "UI",
    "Admission",
    "Admitted",
    "BindResult",
    "BoundExtension",
    "Candidate",
    "Channels",
    "Closer",
    "CommandContext",
    "CommandHandler",
    "CommandInfo",
    "CompactionEntry",
    "Completer",
    "ContextActions",
    "ContextUsage",
    "CustomEntry",
    "CustomMessageEntry",
    "DeliverAs",
    "Discovery",
    "Dropped",
    "Entry",
    "ExecResult",
    "Extension",
    "ExtensionAPI",
    "ExtensionActions",
    "ExtensionError",
    "ExtensionNotReadyError",
    "ExtensionRunner",
    "ExtensionRuntime",
    "FlagType",
    "HookCalls",
    "LabelEntry",
    "LoadResult",
    "McpMounter",
    "MessageEntry",
    "Mode",
    "ModelCatalog",
    "ModelChangeEntry",
    "NotifyLevel",
    "ProviderActions",
    "RegisteredMcpServer",
    "Requires",
    "SessionChange",
    "SessionInfoEntry",
    "SessionReader",
    "Settings",
    "Source",
    "StoredMessage",
    "ThinkingLevelChangeEntry",
    "ToolInfo",
    "UserContent",
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
    "Channels": "._api_own",
    "Closer": ".owned",
    "CommandContext": "pihost.context",
    "CommandHandler": ".registrations",
    "CommandInfo": ".infos",
    "CompactionEntry": "pihost.entries",
    "Completer": ".registrations",
    "ContextActions": ".actions",
    "ContextUsage": "pihost.context",
    "CustomEntry": "pihost.entries",
    "CustomMessageEntry": "pihost.entries",
    "DeliverAs": ".actions",
    "Discovery": ".candidate",
    "Dropped": ".admission",
    "Entry": "pihost.entries",
    "ExecResult": "._exec",
    "Extension": ".records",
    "ExtensionAPI": ".api",
    "ExtensionActions": ".actions",
    "ExtensionError": "pihost.diagnostics",
    "ExtensionNotReadyError": "pihost.errors",
    "ExtensionRunner": ".runner",
    "ExtensionRuntime": ".runtime",
    "FlagType": ".registrations",
    "HookCalls": "._api_own",
    "LabelEntry": "pihost.entries",
    "LoadResult": ".records",
    "McpMounter": ".mcp_registration",
    "MessageEntry": "pihost.entries",
    "Mode": "pihost.config",
    "ModelCatalog": "pihost.context",
    "ModelChangeEntry": "pihost.entries",
    "NotifyLevel": "pihost.context",
    "ProviderActions": ".actions",
    "RegisteredMcpServer": ".mcp_registration",
    "Requires": ".candidate",
    "SessionChange": "pihost.context",
    "SessionInfoEntry": "pihost.entries",
    "SessionReader": "pihost.context",
    "Settings": "pihost.settings",
    "Source": ".candidate",
    "StoredMessage": "pihost.entries",
    "ThinkingLevelChangeEntry": "pihost.entries",
    "ToolInfo": ".infos",
    "UserContent": "pihost.content",
    "admit": ".admission",
    "create_extension_runtime": ".runtime",
    "discover": ".discovery",
    "emit_project_trust": ".runner",
    "load_extensions": ".loader",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
