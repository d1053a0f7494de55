"""What stands behind the API, the contexts and the providers of a runtime, as classes of callables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import attrs

from pihost.config import Mode
from pihost.context import UI, AbortSignal, ContextUsage, ModelCatalog, NoUI, SessionReader
from pihost.errors import ExtensionNotReadyError
from pihost.model import Model, ThinkingLevel
from pihost.settings import Settings

if TYPE_CHECKING:
    from pihost.content import UserContent
    from pihost.events import McpServerInfo
    from pihost.extensions.infos import CommandInfo, ToolInfo
    from pihost.messages import CustomMessage

__all__ = [
    "NOT_READY",
    "ContextActions",
    "DeliverAs",
    "ExtensionActions",
    "ProviderActions",
    "not_ready_actions",
    "unbound_context",
]

DeliverAs = Literal["steer", "follow_up", "next_turn"]
"""When a message reaches the model: before the next request, when the run would stop, at the next prompt."""

NOT_READY = (
    "Extension runtime not initialized. While extensions load, only registrations may be made; "
    "call this from a handler, a command or a tool, or on session_start."
)
"""Why an action cannot run before ``ExtensionRunner.bind_core``."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExtensionActions:
    """The actions of ``ExtensionAPI``, each called with positional arguments in the order given here.

    Attributes:
        send_message: ``(message, deliver_as, trigger_turn)``.
        send_user_message: ``(content, deliver_as)``; ``None`` decides by whether a run is under way.
        append_entry: ``(kind, data)``; returns the entry's id.
        set_label: ``(entry_id, label)``; ``None`` takes the label away.
        get_session_name: The session's name, if it has one.
        set_session_name: ``(name)``.
        get_active_tools: Names of the tools offered to the model.
        get_all_tools: Every tool there is.
        set_active_tools: ``(names)``.
        get_commands: Every command there is.
        get_settings: The settings in force.
        set_model: ``(model)``; awaited; whether the model could be chosen.
        get_thinking_level: How long the model may think.
        set_thinking_level: ``(level)``.
        get_config_dirs: Where files of the host count: the user's directory, and a trusted project's.
        tell_mcp_servers: ``(servers)``; fires ``mcp_servers_change``.
    """

    send_message: Callable[[CustomMessage, DeliverAs, bool], None]
    send_user_message: Callable[[UserContent, DeliverAs | None], None]
    append_entry: Callable[[str, Any], str]
    set_label: Callable[[str, str | None], None]
    get_session_name: Callable[[], str | None]
    set_session_name: Callable[[str], None]
    get_active_tools: Callable[[], list[str]]
    get_all_tools: Callable[[], list[ToolInfo]]
    set_active_tools: Callable[[Sequence[str]], None]
    get_commands: Callable[[], list[CommandInfo]]
    get_settings: Callable[[], Settings]
    set_model: Callable[[Model], Awaitable[bool]]
    get_thinking_level: Callable[[], ThinkingLevel]
    set_thinking_level: Callable[[ThinkingLevel], None]
    get_config_dirs: Callable[[], tuple[Path, ...]]
    tell_mcp_servers: Callable[[tuple[McpServerInfo, ...]], None]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextActions:
    """The readers behind ``ExtensionContext``. Without a session each answers as if nothing were there.

    Attributes:
        get_ui: How to speak with the user.
        get_mode: How the session meets its user.
        has_ui: Whether somebody can be asked.
        get_session: The session, to read.
        get_models: The models there are.
        get_model: The model that answers now.
        get_thinking_level: How long it may think.
        get_signal: Set when the run under way is to end; ``None`` while none is.
        is_idle: Whether no run is under way.
        is_project_trusted: Whether the project's own resources take part.
        abort: End the run under way.
        has_pending_messages: Whether messages wait for the model.
        shutdown: Ask the host to end once the run under way has settled.
        context_usage: How full the model's context is.
        compact: ``(instructions)``; ask for a compaction before the next request.
        system_prompt: The system prompt of the run under way, else of the next.
    """

    get_ui: Callable[[], UI]
    get_mode: Callable[[], Mode]
    has_ui: Callable[[], bool]
    get_session: Callable[[], SessionReader]
    get_models: Callable[[], ModelCatalog]
    get_model: Callable[[], Model | None]
    get_thinking_level: Callable[[], ThinkingLevel]
    get_signal: Callable[[], AbortSignal | None]
    is_idle: Callable[[], bool]
    is_project_trusted: Callable[[], bool]
    abort: Callable[[], None]
    has_pending_messages: Callable[[], bool]
    shutdown: Callable[[], None]
    context_usage: Callable[[], ContextUsage | None]
    compact: Callable[[str | None], None]
    system_prompt: Callable[[], str]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProviderActions:
    """Where registrations of providers go. The methods of ``ModelRegistry`` fit.

    Each returns a function that takes that one registration back: an extension can end its own only.

    Attributes:
        register_provider: ``(name, config)``.
        register_native_provider: ``(provider)``.
        register_virtual_model: ``(model)``.
        register_api: ``(name, implementation)``.
    """

    register_provider: Callable[[str, Any], Callable[[], object]]
    register_native_provider: Callable[[Any], Callable[[], object]]
    register_virtual_model: Callable[[Any], Callable[[], object]]
    register_api: Callable[[str, Any], Callable[[], object]]


def _not_ready(method: str) -> Callable[..., NoReturn]:
    def stub(*_arguments: object) -> NoReturn:
        raise ExtensionNotReadyError(method, NOT_READY)

    return stub


def not_ready_actions() -> ExtensionActions:
    """Actions each of which raises ``ExtensionNotReadyError`` at the call, naming itself."""
    return ExtensionActions(
        **{field.name: _not_ready(field.name) for field in attrs.fields(ExtensionActions)}
    )


def unbound_context(
    session: SessionReader | None = None, models: ModelCatalog | None = None
) -> ContextActions:
    """Readers for a runner without a session: nothing is blocked, nobody is there, no model is chosen.

    Args:
        session: The session to show; without one, reading it raises.
        models: The models to show; without them, reading them raises.
    """
    no_ui = NoUI()
    return ContextActions(
        get_ui=lambda: no_ui,
        get_mode=lambda: "print",
        has_ui=lambda: False,
        get_session=_not_ready("session") if session is None else lambda: session,
        get_models=_not_ready("models") if models is None else lambda: models,
        get_model=lambda: None,
        get_thinking_level=lambda: "off",
        get_signal=lambda: None,
        is_idle=lambda: True,
        is_project_trusted=lambda: True,
        abort=_not_ready("abort"),
        has_pending_messages=lambda: False,
        shutdown=_not_ready("shutdown"),
        context_usage=lambda: None,
        compact=_not_ready("compact"),
        system_prompt=lambda: "",
    )
