"""The client: a method for each command, events as they come."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from pihost.content import ImageContent, ToolResult
from pihost.context import UI, NoUI, SessionChange
from pihost.entries import CompactionEntry
from pihost.events import Event
from pihost.messages import Message
from pihost.model import Model, ThinkingLevel
from pihost.protocol import commands, replies
from pihost.protocol.commands import Position, StreamingBehavior
from pihost.protocol.stream import structure
from pihost.rpc_client._connection import Connection, Listener
from pihost.rpc_client._errors import RpcConnectionError, RpcError
from pihost.rpc_client._process import Server

__all__ = ["RpcClient"]

_T = TypeVar("_T")
_ARGV = (sys.executable, "-P", "-m", "pihost", "--mode", "rpc")
"""The pihost of this Python; ``-P`` keeps it from importing a file of that name from the directory."""


class RpcClient:
    """A session in another process. Made by ``RpcClient.start``; belongs to the event loop that started it.

    Every method raises ``RpcCommandError`` with the server's words where the server does not do what is
    asked, and ``RpcConnectionError`` where there is no server any more.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    @asynccontextmanager
    async def start(
        cls,
        argv: Sequence[str] = _ARGV,
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        dialogs: UI | None = None,
    ) -> AsyncIterator[RpcClient]:
        """Start a server, and end it on leaving: by closing its input, else by signals.

        Args:
            argv: The program and its arguments; ``--mode rpc`` is among them.
            cwd: The directory it works in; ``None`` is the caller's.
            env: Its environment; ``None`` is the caller's.
            dialogs: Answers what extensions ask; ``None``: nobody is there.

        Yields:
            The client.

        Raises:
            RpcConnectionError: the program cannot be started.
        """
        server = await Server.start(argv, cwd=cwd, env=env)
        connection = Connection(server, dialogs or NoUI())
        try:
            yield cls(connection)
        finally:
            await connection.close()

    async def prompt(
        self,
        text: str,
        *,
        images: Iterable[ImageContent] = (),
        streaming_behavior: StreamingBehavior | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Say something and follow what comes of it. Closing the iterator aborts the run.

        Args:
            text: What is said.
            images: Pictures that come with it.
            streaming_behavior: How it reaches a run under way; without it that is an error.

        Yields:
            The events until the run has settled.
        """
        listener: Listener = asyncio.Queue()
        command = commands.Prompt(text=text, images=images, streaming_behavior=streaming_behavior)
        with self._connection.listening(listener):
            await self._connection.ask(command, listener)
            settled = False
            try:
                while (event := await listener.get()) is not None:
                    settled = event.hook_name == "agent_settled"
                    yield event
                    if settled:
                        return
                settled = True
                raise self._connection.ended
            finally:
                if not settled:
                    with contextlib.suppress(RpcError):
                        await self.abort()

    async def events(self) -> AsyncGenerator[Event, None]:
        """Every event from the first step of the iteration to the end of the connection.

        Raises:
            RpcConnectionError: the server ended with another exit code than 0.
        """
        listener: Listener = asyncio.Queue()
        with self._connection.listening(listener):
            self._connection.listen(listener)
            while (event := await listener.get()) is not None:
                yield event
        if self._connection.ended.exit_code != 0:
            raise self._connection.ended

    async def steer(self, text: str, *, images: Iterable[ImageContent] = ()) -> None:
        """Say something to the run under way, before its next request; without a run it begins one."""
        await self._connection.ask(commands.Steer(text=text, images=images))

    async def follow_up(self, text: str, *, images: Iterable[ImageContent] = ()) -> None:
        """Say something to the run under way, for when it would stop; without a run it begins one."""
        await self._connection.ask(commands.FollowUp(text=text, images=images))

    async def abort(self) -> None:
        """End the run, shell commands and tool calls under way, and return once the run has settled."""
        await self._connection.ask(commands.Abort())

    async def get_state(self) -> replies.State:
        """Where the session stands."""
        return await self._told(commands.GetState(), replies.State)

    async def get_messages(self) -> tuple[Message, ...]:
        """The messages of the active branch, oldest first."""
        return (await self._told(commands.GetMessages(), replies.Messages)).messages

    async def new_session(self) -> SessionChange:
        """End this session and begin another in the same directory."""
        return await self._told(commands.NewSession(), SessionChange)

    async def switch_session(self, path: str | Path) -> SessionChange:
        """End this session and go on with another.

        Args:
            path: The other session's file, absolute or from where the server was started.
        """
        return await self._told(commands.SwitchSession(path=str(path)), SessionChange)

    async def fork(self, entry_id: str, position: Position = "at") -> SessionChange:
        """End this session and go on with a copy of its branch up to an entry.

        Args:
            entry_id: The entry.
            position: Whether the copy ends before it or with it.
        """
        return await self._told(commands.Fork(entry_id=entry_id, position=position), SessionChange)

    async def compact(self, instructions: str | None = None) -> CompactionEntry:
        """Put a summary in the place of the older messages.

        Args:
            instructions: What the summary should heed.
        """
        return await self._told(commands.Compact(instructions=instructions), CompactionEntry)

    async def set_model(self, model: str) -> Model:
        """Let another model answer from the next request on.

        Args:
            model: ``provider/id``, or a part that fits only one model.

        Returns:
            The model.
        """
        return await self._told(commands.SetModel(model=model), Model)

    async def get_available_models(self) -> tuple[Model, ...]:
        """The models to choose from: those that the server was started with, else every one there is."""
        return (await self._told(commands.GetAvailableModels(), replies.Models)).models

    async def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Let the model think at another level from the next request on."""
        await self._connection.ask(commands.SetThinkingLevel(level=level))

    async def bash(self, command: str, *, exclude_from_context: bool = False) -> ToolResult:
        """Run a shell command of the user's own.

        Args:
            command: The command line.
            exclude_from_context: Whether the model stays unaware of it.
        """
        asked = commands.Bash(command=command, exclude_from_context=exclude_from_context)
        return await self._told(asked, ToolResult)

    async def get_commands(self) -> tuple[replies.CommandRecord, ...]:
        """The commands that a prompt can call."""
        return (await self._told(commands.GetCommands(), replies.Commands)).commands

    async def get_extensions(self) -> replies.Extensions:
        """Every extension with the state it reached, and what was found wrong."""
        return await self._told(commands.GetExtensions(), replies.Extensions)

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> ToolResult:
        """Call one tool through the pipeline, hooks included; the conversation does not see it.

        Args:
            name: The tool; it need not be active.
            arguments: Its arguments; wrong ones come back as an error result.
        """
        return await self._told(commands.CallTool(name=name, arguments=arguments or {}), ToolResult)

    async def _told(self, command: commands.Command, cls: type[_T]) -> _T:
        data = await self._connection.ask(command)
        try:
            return structure(data, cls)
        except ValueError as fault:
            raise RpcConnectionError(f"the response to {command.type} cannot be read: {fault}") from fault
