"""A live session as the runtime of the extensions wants it: the actions of their APIs, what contexts show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.config import Mode
from pihost.context import UI
from pihost.extensions.actions import ContextActions, ExtensionActions
from pihost.session.agent_session import AgentSession

if TYPE_CHECKING:
    from pihost.events import McpServerInfo
    from pihost.extensions.infos import CommandInfo, ToolInfo

__all__ = ["Surroundings", "context_actions", "extension_actions"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Surroundings:
    """What the host knows and a session does not.

    Attributes:
        ui: How to speak with the user.
        mode: How the session meets its user.
        has_ui: Whether somebody can be asked.
        is_project_trusted: Whether the project's own resources take part.
        shutdown: Asks the host to end once the run under way has settled.
        commands: Every command there is.
        config_dirs: Where files of the host count.
        tool_extension: Id of the extension a tool comes from; ``None`` for a built-in one.
    """

    ui: UI
    mode: Mode
    has_ui: bool
    is_project_trusted: bool
    shutdown: Callable[[], None]
    commands: Callable[[], list[CommandInfo]]
    config_dirs: tuple[Path, ...]
    tool_extension: Callable[[str], str | None]


def extension_actions(session: AgentSession, surroundings: Surroundings) -> ExtensionActions:
    """What stands behind the APIs of extensions.

    Args:
        session: The session they act on.
        surroundings: What the host knows besides.
    """
    actions, state = session.actions, session.state

    def all_tools() -> list[ToolInfo]:
        from pihost.extensions.infos import ToolInfo

        active = state.active_tools()
        return [
            ToolInfo(
                name=tool.name,
                description=tool.description,
                parameters=tool.schema.json_schema,
                extension=surroundings.tool_extension(tool.name),
                active=tool.name in active,
            )
            for tool in state.allowed_tools().values()
        ]

    def tell_mcp_servers(servers: tuple[McpServerInfo, ...]) -> None:
        if not state.ended and state.stream.has_handlers("mcp_servers_change"):
            from pihost.events import McpServersChangeEvent

            state.fire(McpServersChangeEvent(servers=servers))

    return ExtensionActions(
        send_message=actions.send_message,
        send_user_message=actions.send_user_message,
        append_entry=actions.append_entry,
        set_label=actions.set_label,
        get_session_name=lambda: session.name,
        set_session_name=session.set_name,
        get_active_tools=lambda: list(state.active_tools()),
        get_all_tools=all_tools,
        set_active_tools=actions.set_active_tools,
        get_commands=surroundings.commands,
        get_settings=lambda: session.parts.settings,
        set_model=session.set_model,
        get_thinking_level=lambda: state.thinking_level,
        set_thinking_level=session.set_thinking_level,
        get_config_dirs=lambda: surroundings.config_dirs,
        tell_mcp_servers=tell_mcp_servers,
    )


def context_actions(session: AgentSession, surroundings: Surroundings) -> ContextActions:
    """What contexts show.

    Args:
        session: The session they show.
        surroundings: What the host knows besides.
    """
    state = session.state
    return ContextActions(
        get_ui=lambda: surroundings.ui,
        get_mode=lambda: surroundings.mode,
        has_ui=lambda: surroundings.has_ui,
        get_session=lambda: session.parts.store,
        get_models=lambda: session.parts.models,
        get_model=lambda: state.model,
        get_thinking_level=lambda: state.thinking_level,
        get_signal=lambda: state.signal,
        is_idle=lambda: session.is_idle,
        is_project_trusted=lambda: surroundings.is_project_trusted,
        abort=session.abort_soon,
        has_pending_messages=lambda: not state.queues.is_empty,
        shutdown=surroundings.shutdown,
        context_usage=session.context_usage,
        compact=session.compact_soon,
        system_prompt=session.system_prompt,
    )
