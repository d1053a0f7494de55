"""What each command does to a host, and what its response carries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from pihost.errors import PihostError
from pihost.protocol import commands, replies
from pihost.protocol.commands import Command

if TYPE_CHECKING:
    from pihost.content import ToolResult
    from pihost.context import SessionChange
    from pihost.entries import CompactionEntry
    from pihost.host import Host
    from pihost.model import Model

__all__ = ["ALONE", "CommandRefusedError", "perform"]

ALONE = frozenset({"new_session", "switch_session", "fork"})
"""Commands that put another session in the place of this one."""


class CommandRefusedError(PihostError):
    """A command cannot be done now.

    Attributes:
        reason: Why not.
        hint: What can be done instead.
    """

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return self.reason


_C = TypeVar("_C", bound=Command)
_Performer = Callable[["Host", Any], Awaitable[object]]
_PERFORMERS: dict[str, _Performer] = {}


def _performs(cls: type[_C]) -> Callable[[Callable[[Host, _C], Awaitable[object]]], _Performer]:
    """Let a function do the commands of one class."""

    def note(function: Callable[[Host, _C], Awaitable[object]]) -> _Performer:
        _PERFORMERS[cls.type] = function
        return function

    return note


async def perform(host: Host, command: Command) -> object:
    """Do a command.

    Args:
        host: A host whose session has started.
        command: The command.

    Returns:
        The response's data.

    Raises:
        PihostError: it cannot be done; the text says why.
    """
    return await _PERFORMERS[command.type](host, command)


@_performs(commands.Prompt)
async def _prompt(host: Host, command: commands.Prompt) -> None:
    session = host.session
    if command.streaming_behavior == "steer":
        await session.steer(command.text, images=command.images)
    elif command.streaming_behavior == "follow_up" or session.is_idle:
        await session.follow_up(command.text, images=command.images)
    else:
        raise CommandRefusedError(
            "a run is under way, and a prompt cannot begin a second one",
            'Give "streaming_behavior": "steer" or "follow_up", or wait for agent_settled.',
        )


@_performs(commands.Steer)
async def _steer(host: Host, command: commands.Steer) -> None:
    await host.session.steer(command.text, images=command.images)


@_performs(commands.FollowUp)
async def _follow_up(host: Host, command: commands.FollowUp) -> None:
    await host.session.follow_up(command.text, images=command.images)


@_performs(commands.Abort)
async def _abort(host: Host, _command: commands.Abort) -> None:
    await host.session.abort()


@_performs(commands.GetState)
async def _get_state(host: Host, _command: commands.GetState) -> replies.State:
    return _state(host)


@_performs(commands.GetMessages)
async def _get_messages(host: Host, _command: commands.GetMessages) -> replies.Messages:
    return replies.Messages(messages=host.session.messages)


@_performs(commands.NewSession)
async def _new_session(host: Host, _command: commands.NewSession) -> SessionChange:
    return await host.new_session()


@_performs(commands.SwitchSession)
async def _switch_session(host: Host, command: commands.SwitchSession) -> SessionChange:
    return await host.switch_session(command.path)


@_performs(commands.Fork)
async def _fork(host: Host, command: commands.Fork) -> SessionChange:
    return await host.fork(command.entry_id, command.position)


@_performs(commands.Compact)
async def _compact(host: Host, command: commands.Compact) -> CompactionEntry:
    return await host.compact(command.instructions)


@_performs(commands.SetModel)
async def _set_model(host: Host, command: commands.SetModel) -> Model:
    model = host.models.find(command.model)
    if not await host.session.set_model(model, source="user"):
        raise CommandRefusedError(f"{model.ref} cannot be used: its provider is not set up for this host")
    return model


@_performs(commands.GetAvailableModels)
async def _get_available_models(host: Host, _command: commands.GetAvailableModels) -> replies.Models:
    return replies.Models(models=host.offered_models)


@_performs(commands.SetThinkingLevel)
async def _set_thinking_level(host: Host, command: commands.SetThinkingLevel) -> None:
    host.session.set_thinking_level(command.level)


@_performs(commands.Bash)
async def _bash(host: Host, command: commands.Bash) -> ToolResult:
    return await host.session.user_bash(command.command, exclude_from_context=command.exclude_from_context)


@_performs(commands.GetCommands)
async def _get_commands(host: Host, _command: commands.GetCommands) -> replies.Commands:
    return replies.Commands(
        commands=[
            replies.CommandRecord(name=one.name, description=one.description, extension=one.extension)
            for one in host.commands
        ]
    )


@_performs(commands.GetExtensions)
async def _get_extensions(host: Host, _command: commands.GetExtensions) -> replies.Extensions:
    report = host.report()
    rows = [replies.ExtensionRecord(**attrs.asdict(row, recurse=False)) for row in report.extensions]
    return replies.Extensions(extensions=rows, diagnostics=report.diagnostics)


@_performs(commands.CallTool)
async def _call_tool(host: Host, command: commands.CallTool) -> ToolResult:
    return await host.call_tool(command.name, command.arguments)


def _state(host: Host) -> replies.State:
    session = host.session
    usage, queues = session.context_usage(), session.state.queues
    return replies.State(
        session_id=session.id,
        session_file=None if session.file is None else str(session.file),
        session_name=session.name,
        cwd=str(host.cwd),
        trusted=host.trust.trusted,
        model=session.state.model,
        thinking_level=session.state.thinking_level,
        is_idle=session.is_idle,
        message_count=len(session.messages),
        pending_messages=len(queues.steering) + len(queues.follow_up) + len(queues.next_turn),
        leaf_id=session.store.leaf_id,
        context_tokens=0 if usage is None else usage.tokens,
        context_window=0 if usage is None else usage.context_window,
    )
