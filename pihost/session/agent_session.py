"""A live session: what can be asked of it, and the order in which its life goes."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pihost.content import ImageContent, ToolCall, ToolResult
from pihost.context import ContextUsage, SessionChange
from pihost.entries import (
    CompactionEntry,
    Entry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
)
from pihost.events import Event, InputSource
from pihost.messages import Message
from pihost.model import THINKING_LEVELS, Model, ThinkingLevel
from pihost.models.errors import ProviderConfigError
from pihost.session._actions import SessionActions
from pihost.session._faults import Faults
from pihost.session._runs import Runs, Said
from pihost.session._shell import run_user_bash
from pihost.session._state import SessionState
from pihost.session._wish import Wish
from pihost.session.parts import SessionParts
from pihost.session.restore import stored_choices
from pihost.session.store import SessionStore
from pihost.session.stream import EventStream
from pihost.tools.calling.pipeline import call_tool
from pihost.tools.definition import ToolDefinition

if TYPE_CHECKING:
    from pihost.events import SelectSource, ShutdownReason, StartReason

__all__ = ["AgentSession"]

_BACKGROUND_SECONDS = 5.0
"""How long a session that ends waits for handlers at work in the background."""


class AgentSession:
    """A session in which a model answers and tools run.

    ``start`` comes first and ``shutdown`` last; in between one run is under way, or none. It belongs to one
    event loop.

    Attributes:
        actions: What extensions may do with it.
        faults: Takes what extensions do wrong and what they refuse.

    Args:
        parts: What it is put together from.
    """

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._state = SessionState(
            parts=parts,
            stream=EventStream(parts.hooks),
            model=parts.model,
            thinking_level=parts.thinking_level,
        )
        self._runs = Runs(self._state)
        self._started = False
        self.actions = SessionActions(self._state, self._runs)
        self.faults = Faults(self._state)

    @property
    def id(self) -> str:
        """The session's id."""
        return self._parts.store.id

    @property
    def file(self) -> Path | None:
        """Its file; ``None`` where it is kept in memory."""
        return self._parts.store.file

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        return self._parts.store.name

    @property
    def parts(self) -> SessionParts:
        """What it is put together from."""
        return self._parts

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the active branch, oldest first."""
        return self._parts.store.messages()

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry, oldest first."""
        return self._parts.store.entries

    @property
    def is_idle(self) -> bool:
        """Whether no run is under way."""
        return self._runs.is_idle

    @property
    def state(self) -> SessionState:
        """Where it stands: model, thinking level, queues, signal. To read."""
        return self._state

    @property
    def store(self) -> SessionStore:
        """Its entries."""
        return self._parts.store

    @property
    def tools(self) -> Mapping[str, ToolDefinition]:
        """Every tool that may be called, by name."""
        return self._state.allowed_tools()

    def choose(self, model: Model | None, thinking_level: ThinkingLevel) -> None:
        """Say who answers first; before the session starts, since no event is fired.

        Args:
            model: The model, which the extensions may have brought; ``None`` where none could be chosen.
            thinking_level: How long it may think.
        """
        self._state.model = model
        self._state.thinking_level = thinking_level

    def take_over(self, before: AgentSession) -> None:
        """Go on where another object left off: with the tools it offered and what waits for the next prompt.

        Args:
            before: The session's object before a reload, which has ended.
        """
        self._state.active = before._state.active
        self._state.queues.next_turn[:0] = before._state.queues.take_next_turn()

    async def start(self, reason: StartReason = "startup", *, previous_file: Path | None = None) -> None:
        """Say that the session is ready: ``session_start``, once.

        Args:
            reason: Why it starts.
            previous_file: The file of the session it replaces, if there is one.
        """
        if self._started:
            return
        self._started = True
        self._keep_choices()
        stream = self._state.stream
        if stream.has_handlers("session_start"):
            from pihost.events import SessionStartEvent

            await stream.emit(SessionStartEvent(reason=reason, previous_session_file=previous_file))

    async def shutdown(self, reason: ShutdownReason = "quit", *, target_file: Path | None = None) -> None:
        """End the session: the run under way is aborted, ``session_shutdown`` fires once, the file is closed.

        After a reload another object goes on with the same file, so it stays open then.

        Args:
            reason: Why it ends.
            target_file: The file of the session that replaces it, if there is one.
        """
        if self._state.closed:
            return
        self._state.closed = True
        try:
            await self._runs.abort()
            if self._started and self._state.stream.has_handlers("session_shutdown"):
                from pihost.events import SessionShutdownEvent

                event = SessionShutdownEvent(reason=reason, target_session_file=target_file)
                await self._state.stream.emit(event)
            self._state.ended = True
            await self._end_background()
        finally:
            if reason != "reload":
                self._parts.store.close(keep_place=reason != "fork")

    async def prompt(
        self, text: str, *, images: Iterable[ImageContent] = (), source: InputSource | None = None
    ) -> AsyncGenerator[Event, None]:
        """Say something and follow what comes of it. Closing the iterator aborts the run.

        Args:
            text: What is said.
            images: Pictures that come with it.
            source: Where it comes from; ``None`` is the usual.

        Yields:
            The events of the stream until the run has settled.

        Raises:
            SessionBusyError: a run is under way.
            SessionClosedError: the session has ended.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        unsubscribe = self.subscribe(events.put_nowait)
        task: asyncio.Task[None] | None = None
        try:
            task = self._runs.prompt(self._said(text, images, source))
            task.add_done_callback(lambda _: events.put_nowait(None))
            while (event := await events.get()) is not None:
                yield event
            if not task.cancelled():
                task.result()
        finally:
            unsubscribe()
            if task is not None and not task.done():
                await self._runs.abort()

    async def steer(self, text: str, *, images: Iterable[ImageContent] = ()) -> None:
        """Say something to the run under way, before its next request; without one it starts one.

        Args:
            text: What is said.
            images: Pictures that come with it.
        """
        await self._runs.say(self._said(text, images, None), "steer")

    async def follow_up(self, text: str, *, images: Iterable[ImageContent] = ()) -> None:
        """Say something to the run under way, for when it would stop; without one it starts one.

        Args:
            text: What is said.
            images: Pictures that come with it.
        """
        await self._runs.say(self._said(text, images, None), "follow_up")

    async def abort(self) -> None:
        """End the run under way and the user's own commands, and return once the run has settled.

        What is finished is kept, what waits is not.
        """
        await self._runs.abort()

    def abort_soon(self) -> None:
        """The same without waiting."""
        self._runs.abort_now()

    async def wait_for_idle(self) -> None:
        """Return once no run is under way."""
        await self._runs.wait_for_idle()

    async def compact(self, instructions: str | None = None) -> CompactionEntry:
        """Let a summary take the place of the older part of the conversation.

        While a run is under way it happens before its next request.

        Args:
            instructions: What the summary is to pay attention to.

        Returns:
            What was stored.

        Raises:
            CompactionError: it was not compacted.
            SessionClosedError: the session has ended.
        """
        return await self._runs.compact(instructions)

    def compact_soon(self, instructions: str | None = None) -> None:
        """The same without waiting; the stream tells what comes of it."""
        self._runs.wish(Wish(instructions=instructions))

    async def navigate_tree(self, entry_id: str) -> SessionChange:
        """Go on from another entry: the next message follows it, and what came after it is another branch.

        Model and thinking level are those of that entry again.

        Args:
            entry_id: The entry.

        Returns:
            Whether it was done; with the user's words where the entry holds some.

        Raises:
            EntryNotFoundError: there is no such entry.
            SessionBusyError: a run is under way.
            SessionClosedError: the session has ended.
        """
        from pihost.session.navigation import navigate

        return await self._runs.alone(lambda signal: navigate(self._state, entry_id, signal))

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Show every event of the stream to ``listener``; the returned function ends it."""
        return self._state.stream.subscribe(listener)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        on_update: Callable[[ToolResult], None] | None = None,
        active_only: bool = False,
    ) -> ToolResult:
        """Call one tool through the pipeline, hooks included; the conversation does not see it.

        Args:
            name: The tool.
            arguments: As sent; wrong ones come back as an error result.
            on_update: Shown what there is so far, while the tool runs.
            active_only: Take a tool that is not offered now for one that there is not.
        """
        call = ToolCall(id=f"call-{uuid.uuid4().hex}", name=name, arguments=arguments)
        state = self._state
        tools = state.active_tools() if active_only else state.allowed_tools()
        return await call_tool(tools, call, ctx=state.tool_context(on_update=on_update), hooks=state.stream)

    async def user_bash(self, command: str, *, exclude_from_context: bool = False) -> ToolResult:
        """Run a command line that the user typed.

        Args:
            command: The command line.
            exclude_from_context: Whether the model stays unaware of it.
        """
        return await run_user_bash(self._state, command, exclude_from_context=exclude_from_context)

    async def set_model(self, model: Model, *, source: SelectSource = "extension") -> bool:
        """Let another model answer from the next request on.

        Args:
            model: One of the registry's.
            source: Who chose it.

        Returns:
            Whether it could be chosen; ``False`` where it is not there or its provider cannot be used.
        """
        known = self._parts.models.get(model.provider, model.id)
        if known is None or not self._is_usable(known):
            return False
        previous, self._state.model = self._state.model, known
        if known != previous:
            from pihost.events import ModelSelectEvent

            self._parts.store.append(ModelChangeEntry, provider=known.provider, model_id=known.id)
            await self._state.stream.emit(
                ModelSelectEvent(model=known, previous_model=previous, source=source)
            )
        return True

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Let the model think at another level from the next request on; the event follows at once.

        Args:
            level: The level.

        Raises:
            ValueError: there is no such level.
        """
        if level not in THINKING_LEVELS:
            raise ValueError(f"thinking level must be one of {', '.join(THINKING_LEVELS)}, not {level!r}")
        previous, self._state.thinking_level = self._state.thinking_level, level
        if level != previous:
            from pihost.events import ThinkingLevelSelectEvent

            self._parts.store.append(ThinkingLevelChangeEntry, level=level)
            self._state.fire(ThinkingLevelSelectEvent(level=level, previous_level=previous))

    def set_name(self, name: str) -> None:
        """Name the session; the event follows at once.

        Args:
            name: The name; an empty one takes the name away.
        """
        name = " ".join(name.split())
        if (name or None) != self.name:
            from pihost.events import SessionInfoChangedEvent

            self._parts.store.append(SessionInfoEntry, name=name)
            self._state.fire(SessionInfoChangedEvent(name=name or None))

    def context_usage(self) -> ContextUsage | None:
        """How full the model's context is; ``None`` where no model is chosen."""
        if self._state.model is None:
            return None
        from pihost.session._tokens import context_tokens

        tokens = context_tokens(self._parts.store.branch())
        return ContextUsage(tokens=tokens, context_window=self._state.model.context_window)

    def system_prompt(self) -> str:
        """The system prompt of the run under way, else of the next as far as it is known."""
        state = self._state
        if state.system_prompt is not None:
            return state.system_prompt
        return state.render_prompt(state.prompt_options())

    def _said(self, text: str, images: Iterable[ImageContent], source: InputSource | None) -> Said:
        return Said(text=text, images=images, source=source or self._parts.source)

    def _is_usable(self, model: Model) -> bool:
        if model.api == "virtual":
            return True
        try:
            self._parts.models.provider(model.provider)
        except ProviderConfigError:
            return False
        return True

    def _keep_choices(self) -> None:
        """Note model and thinking level where the session does not say so already."""
        model, level = stored_choices(self._parts.store.branch())
        state = self._state
        if state.model is not None and (state.model.provider, state.model.id) != model:
            self._parts.store.append(ModelChangeEntry, provider=state.model.provider, model_id=state.model.id)
        if state.thinking_level != (level or "off"):
            self._parts.store.append(ThinkingLevelChangeEntry, level=state.thinking_level)

    async def _end_background(self) -> None:
        for _ in range(2):
            if self._state.background:
                _, late = await asyncio.wait(self._state.background, timeout=_BACKGROUND_SECONDS)
                for task in late:
                    task.cancel()
