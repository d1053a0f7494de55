"""What one extension registers: staged while it loads, kept with the extension afterwards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import attrs

from pihost._values import Value
from pihost.context import CommandContext
from pihost.extensions.errors import RegistrationError
from pihost.extensions.provider_queue import ProviderQueue

if TYPE_CHECKING:
    from pihost.extensions.mcp_registration import McpMounter, RegisteredMcpServer
    from pihost.hooks.table import HookTable
    from pihost.tools.definition import ToolDefinition

__all__ = [
    "CommandHandler",
    "Completer",
    "FlagType",
    "RegisteredCommand",
    "RegisteredFlag",
    "RegisteredTool",
    "RegistrationError",
    "Registrations",
    "Subscription",
]

CommandHandler = Callable[[str, CommandContext], "Awaitable[None] | None"]
"""Runs a command: what follows its name, and the context."""

Completer = Callable[[str], Sequence[str]]
"""Completions of what has been typed after a command's name."""

FlagType = Literal["boolean", "string"]
"""What a flag on the command line takes: nothing, or a text."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RegisteredTool(Value):
    """A tool and where it comes from.

    Attributes:
        definition: The tool.
        extension: Id of the extension.
        override: Whether it may stand in for a built-in tool of the same name.
    """

    definition: ToolDefinition
    extension: str
    override: bool = False


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RegisteredCommand(Value):
    """A command and where it comes from.

    Attributes:
        name: What follows the slash.
        extension: Id of the extension.
        handler: Runs it.
        description: What it does, for people.
        complete: Completes its arguments, if it can.
    """

    name: str
    extension: str
    handler: CommandHandler
    description: str = ""
    complete: Completer | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RegisteredFlag(Value):
    """A flag of the command line and where it comes from.

    Attributes:
        name: What follows the two dashes.
        extension: Id of the extension.
        type: What it takes.
        default: Its value where the command line does not give one.
        description: What it does, for people.
    """

    name: str
    extension: str
    type: FlagType
    default: bool | str | None = None
    description: str = ""


class Subscription:
    """A handler added with ``api.on``. It waits while its extension loads; it can be taken back."""

    def __init__(self, event: str, handler: Any, *, tryfirst: bool, trylast: bool) -> None:
        self._event = event
        self._handler = handler
        self._place = {"tryfirst": tryfirst, "trylast": trylast}
        self._stopped = False
        self._unsubscribe: Callable[[], None] | None = None

    def start(self, extension: str, hooks: HookTable) -> None:
        """Answer the event from now on, unless it was taken back already."""
        if not self._stopped:
            self._unsubscribe = hooks.subscribe(extension, self._event, self._handler, **self._place)

    def stop(self) -> None:
        """Answer the event no longer; doing it again changes nothing."""
        self._stopped = True
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None


@attrs.define(kw_only=True, eq=False)
class Registrations:
    """Everything one extension has registered.

    Attributes:
        extension: Its id.
        usual_id: The id it has where no project takes part.
        where: Its path as the user wrote it, or its entry point.
        local: Whether it is the project's own.
        replaceable: Whether it steps aside where another registers the same name.
        staged: It is still loading: nothing here is in effect.
        failure: Why it may not be used any more; ``None`` while it may.
        tools: By name.
        commands: By name.
        flags: By name.
        mcp_servers: By name.
        mcp_mounter: Runs MCP servers, if it brings such a thing.
        hookspecs: Modules with hooks of its own, until they take effect.
        subscriptions: Handlers added with ``api.on``, until they take effect.
        providers: Registrations of providers, until they are handed to the runtime.
    """

    extension: str
    usual_id: str
    where: str = ""
    local: bool = False
    replaceable: bool = False
    staged: bool = True
    failure: str | None = None
    tools: dict[str, RegisteredTool] = attrs.field(factory=dict)
    commands: dict[str, RegisteredCommand] = attrs.field(factory=dict)
    flags: dict[str, RegisteredFlag] = attrs.field(factory=dict)
    mcp_servers: dict[str, RegisteredMcpServer] = attrs.field(factory=dict)
    mcp_mounter: McpMounter | None = None
    hookspecs: list[Any] = attrs.field(factory=list)
    subscriptions: list[Subscription] = attrs.field(factory=list)
    providers: ProviderQueue = attrs.field(factory=ProviderQueue)
