"""What a client is told: the response to a command, and the values that it may carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import attrs

from pihost.content import ToolResult
from pihost.context import SessionChange
from pihost.diagnostics import Diagnostic
from pihost.entries import CompactionEntry
from pihost.messages import Message
from pihost.model import Model, ThinkingLevel
from pihost.protocol.commands import CommandId

__all__ = [
    "DATA",
    "CommandRecord",
    "Commands",
    "ExtensionRecord",
    "Extensions",
    "HandlerTimeRecord",
    "Messages",
    "Models",
    "Response",
    "State",
]


def _tuple(value: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True)
class Response:
    """What became of a command.

    Attributes:
        id: As the client called it; ``None`` where it gave no id, or none that could be read.
        command: The command's type; ``None`` where none could be read.
        success: Whether it was done.
        data: What it brought, where it was done.
        error: Why it was not.
    """

    type: ClassVar[str] = "response"
    id: CommandId
    command: str | None
    success: bool
    data: Any = None
    error: str | None = None


@attrs.frozen(kw_only=True)
class State:
    """Where a session stands.

    Attributes:
        session_id: The session's id.
        session_file: Its file; ``None`` where it is kept in memory.
        session_name: Its name, if it has one.
        cwd: The directory it works in.
        trusted: Whether the project's own resources take part.
        model: The model that answers; ``None`` where none could be chosen.
        thinking_level: How long it may think.
        is_idle: Whether no run is under way.
        message_count: How many messages the active branch has.
        pending_messages: How many messages wait for the model.
        leaf_id: The entry the next one will follow.
        context_tokens: Tokens of the last request and its answer; 0 before the first.
        context_window: The model's window in tokens; 0 where there is no limit.
    """

    session_id: str
    session_file: str | None
    session_name: str | None
    cwd: str
    trusted: bool
    model: Model | None
    thinking_level: ThinkingLevel
    is_idle: bool
    message_count: int
    pending_messages: int
    leaf_id: str | None
    context_tokens: int
    context_window: int


@attrs.frozen(kw_only=True)
class Messages:
    """The messages of the active branch.

    Attributes:
        messages: Oldest first.
    """

    messages: tuple[Message, ...] = attrs.field(converter=_tuple)


@attrs.frozen(kw_only=True)
class Models:
    """The models there are.

    Attributes:
        models: By provider, in order of registration.
    """

    models: tuple[Model, ...] = attrs.field(converter=_tuple)


@attrs.frozen(kw_only=True)
class CommandRecord:
    """A command that a prompt can call.

    Attributes:
        name: What follows the slash.
        description: What it does.
        extension: Id of the extension it comes from; ``None`` for one of the host's own or a template.
    """

    name: str
    description: str
    extension: str | None


@attrs.frozen(kw_only=True)
class Commands:
    """The commands that a prompt can call.

    Attributes:
        commands: Templates and skills, those of extensions, the host's own.
    """

    commands: tuple[CommandRecord, ...] = attrs.field(converter=_tuple)


@attrs.frozen(kw_only=True)
class HandlerTimeRecord:
    """How long the handlers of an extension at one hook have taken: time on the clock, waiting included.

    Attributes:
        extension: Id of the extension.
        hook: Name of the hook.
        count: How many calls have ended, those that failed too.
        total_ms: All of them together, in milliseconds.
        max_ms: The longest, in milliseconds.
        last_ms: The last one, in milliseconds.
    """

    extension: str
    hook: str
    count: int
    total_ms: float
    max_ms: float
    last_ms: float


@attrs.frozen(kw_only=True)
class ExtensionRecord:
    """One extension, loaded or not.

    Attributes:
        id: Its id.
        source: Where it was found.
        state: How far it got; each state implies the ones before it.
        path: Where it is, as the user wrote it; ``None`` for an entry point.
        distribution: The distribution it comes from.
        version: That distribution's version.
        load_ms: How long loading took, in milliseconds.
        tools: Names of the tools it registers.
        commands: Names of the commands it registers.
        flags: Names of the flags it registers.
        hooks: Names of the hooks it answers.
        reason: What stopped it.
        stack: The traceback, where loading failed.
        handler_times: How long its handlers have taken; empty unless the setting ``hook_timing`` is on.
    """

    id: str
    source: str
    state: Literal["discovered", "admitted", "loaded", "bound"]
    path: str | None = None
    distribution: str | None = None
    version: str | None = None
    load_ms: float | None = None
    tools: tuple[str, ...] = attrs.field(default=(), converter=_tuple)
    commands: tuple[str, ...] = attrs.field(default=(), converter=_tuple)
    flags: tuple[str, ...] = attrs.field(default=(), converter=_tuple)
    hooks: tuple[str, ...] = attrs.field(default=(), converter=_tuple)
    reason: str | None = None
    stack: str | None = None
    handler_times: tuple[HandlerTimeRecord, ...] = attrs.field(default=(), converter=_tuple)


@attrs.frozen(kw_only=True)
class Extensions:
    """Every extension there is, and what was found wrong.

    Attributes:
        extensions: Those admitted in final order, then those that were not.
        diagnostics: What starting found wrong, and the session since.
    """

    extensions: tuple[ExtensionRecord, ...] = attrs.field(converter=_tuple)
    diagnostics: tuple[Diagnostic, ...] = attrs.field(converter=_tuple)


DATA: Mapping[str, type[Any] | None] = {
    "prompt": None,
    "steer": None,
    "follow_up": None,
    "abort": None,
    "get_state": State,
    "get_messages": Messages,
    "new_session": SessionChange,
    "switch_session": SessionChange,
    "fork": SessionChange,
    "set_model": Model,
    "get_available_models": Models,
    "set_thinking_level": None,
    "compact": CompactionEntry,
    "bash": ToolResult,
    "get_commands": Commands,
    "get_extensions": Extensions,
    "call_tool": ToolResult,
}
"""What the response to each command carries, by the command's type."""
