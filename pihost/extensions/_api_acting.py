"""The acting half of the API: real once the extensions are bound to a session."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pihost.extensions._api_base import ApiPart
from pihost.extensions.actions import DeliverAs, ExtensionActions
from pihost.extensions.registrations import RegistrationError
from pihost.model import Model, ThinkingLevel
from pihost.settings import Settings

if TYPE_CHECKING:
    from pihost.content import UserContent
    from pihost.events import McpServerInfo
    from pihost.extensions.infos import CommandInfo, ToolInfo
    from pihost.messages import CustomMessage

__all__ = ["ActingPart"]


class ActingPart(ApiPart):
    """Actions on the session. Each raises ``ExtensionNotReadyError`` while extensions load."""

    def send_message(
        self, message: CustomMessage, *, deliver_as: DeliverAs = "next_turn", trigger_turn: bool = False
    ) -> None:
        """Put a message of the extension's own into the conversation.

        Args:
            message: The message.
            deliver_as: When it reaches the model.
            trigger_turn: Whether it starts a turn where none is under way.
        """
        self._acting("send_message").send_message(message, deliver_as, trigger_turn)

    def send_user_message(self, content: UserContent, *, deliver_as: DeliverAs | None = None) -> None:
        """Say something in the user's name; it starts a run where none is under way.

        Args:
            content: A text, or text and pictures.
            deliver_as: How it reaches a run under way.
        """
        self._acting("send_user_message").send_user_message(content, deliver_as)

    def append_entry(self, kind: str, data: Any = None) -> str:
        """Keep something in the session that the model never sees.

        Args:
            kind: The extension's own name for this kind of entry.
            data: Anything with a JSON form.

        Returns:
            The entry's id.
        """
        return self._acting("append_entry").append_entry(kind, data)

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Give an entry a label; ``None`` takes it away."""
        self._acting("set_label").set_label(entry_id, label)

    def get_session_name(self) -> str | None:
        """The session's name, if it has one."""
        return self._acting("get_session_name").get_session_name()

    def set_session_name(self, name: str) -> None:
        """Name the session."""
        self._acting("set_session_name").set_session_name(name)

    def get_active_tools(self) -> list[str]:
        """Names of the tools that are offered to the model."""
        return self._acting("get_active_tools").get_active_tools()

    def get_all_tools(self) -> list[ToolInfo]:
        """Every tool there is, offered or not."""
        return self._acting("get_all_tools").get_all_tools()

    def set_active_tools(self, names: Sequence[str]) -> None:
        """Choose the tools that are offered to the model from the next request on."""
        self._acting("set_active_tools").set_active_tools(names)

    def get_commands(self) -> list[CommandInfo]:
        """Every command there is."""
        return self._acting("get_commands").get_commands()

    def get_settings(self) -> Settings:
        """The settings in force."""
        return self._acting("get_settings").get_settings()

    def set_model(self, model: Model) -> Awaitable[bool]:
        """Choose the model that answers from the next request on.

        Returns:
            To be awaited: whether it could be chosen.
        """
        # Not a coroutine function: a call that comes too early raises at once, awaited or not.
        return self._acting("set_model").set_model(model)

    def get_thinking_level(self) -> ThinkingLevel:
        """How long the model may think."""
        return self._acting("get_thinking_level").get_thinking_level()

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Say how long the model may think, from the next request on."""
        self._acting("set_thinking_level").set_thinking_level(level)

    def get_config_dirs(self) -> tuple[Path, ...]:
        """Where files of the host count: the user's own directory, then the project's if it was trusted.

        What is found there later, in a project that had nothing to be trusted, counts from the next start on.
        """
        return self._acting("get_config_dirs").get_config_dirs()

    def get_mcp_servers(self) -> list[McpServerInfo]:
        """The MCP servers there are and how each stands."""
        return self._use("get_mcp_servers").mcp_servers.listed()

    def set_mcp_servers(self, servers: Iterable[McpServerInfo]) -> None:
        """Say how the MCP servers stand; ``mcp_servers_change`` follows where that is news.

        Args:
            servers: All of them.

        Raises:
            RegistrationError: another extension runs them, or none.
        """
        actions, known = self._acting("set_mcp_servers"), self._runtime.mcp_servers
        if known.extension != self._record.extension:
            problem = f"are run by {known.extension!r}" if known.extension else "are run by nobody"
            raise RegistrationError(self._record.extension, "MCP servers", problem)
        told = tuple(servers)
        if known.set(told):
            actions.tell_mcp_servers(told)

    def _acting(self, member: str) -> ExtensionActions:
        return self._use(member).actions
