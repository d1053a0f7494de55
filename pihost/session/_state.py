"""Where a session stands: shared by its runs, its requests and its tool calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from typing import TypeVar

import attrs

from pihost.content import ToolResult
from pihost.context import AbortSignal
from pihost.entries import CustomEntry, StoredMessage
from pihost.events import Event, MessageEndEvent, MessageStartEvent, SystemPromptOptions
from pihost.messages import CustomMessage, UserMessage
from pihost.model import Model, ThinkingLevel
from pihost.session._tree import of_type
from pihost.session._wish import Wish
from pihost.session.parts import SessionParts
from pihost.session.recipe import RECIPE_MODEL
from pihost.session.stream import EventStream
from pihost.session.system_prompt import prompt_options, render_system_prompt
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.definition import ToolDefinition

__all__ = ["Queued", "Queues", "SessionState"]

_M = TypeVar("_M", bound=StoredMessage | CustomMessage)
_ROUTE = "virtual_model_route"
Queued = UserMessage | CustomMessage
"""What may wait for the model."""


@attrs.define(kw_only=True, eq=False, repr=False)
class Queues:
    """Messages that wait for the model. Those of a run are delivered one at a time.

    Attributes:
        steering: Delivered before the next request of the run.
        follow_up: Delivered when the run would stop.
        next_turn: Delivered with the next prompt, all at once.
    """

    steering: list[Queued] = attrs.field(factory=list)
    follow_up: list[Queued] = attrs.field(factory=list)
    next_turn: list[Queued] = attrs.field(factory=list)

    def take_steering(self) -> list[Queued]:
        """The first that waits for the next request, if any; it waits no longer."""
        return [self.steering.pop(0)] if self.steering else []

    def take_follow_up(self) -> list[Queued]:
        """The first that waits for the run to stop, if any; it waits no longer."""
        return [self.follow_up.pop(0)] if self.follow_up else []

    def take_next_turn(self) -> list[Queued]:
        """What waits for the next prompt; it waits no longer."""
        taken, self.next_turn = self.next_turn, []
        return taken

    def clear(self) -> tuple[Queued, ...]:
        """Forget what waits for the run under way, and give it back."""
        dropped = (*self.steering, *self.follow_up)
        self.steering, self.follow_up = [], []
        return dropped

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not (self.steering or self.follow_up or self.next_turn)


@attrs.define(kw_only=True, eq=False, repr=False)
class SessionState:
    """A session's parts and its present state.

    Attributes:
        parts: What it is put together from.
        stream: Takes events to extensions and listeners.
        model: The model that answers.
        thinking_level: How long it may think.
        active: Names of the tools offered; ``None`` is the default set.
        queues: Messages that wait.
        signal: Ends the run under way; ``None`` while none is.
        system_prompt: The system prompt of the run under way; ``None`` while none is.
        closed: The session takes nothing more.
        ended: It has ended: ``session_shutdown`` has fired.
        background: Work that a call started and did not wait for.
        commands: Ends each of the user's own commands that are under way.
        wishes: Compactions that somebody wants before the next request.
        held: Messages that the handlers have seen and that are stored once the run has ended.
    """

    parts: SessionParts
    stream: EventStream
    model: Model | None
    thinking_level: ThinkingLevel
    active: tuple[str, ...] | None = None
    queues: Queues = attrs.field(factory=Queues)
    signal: AbortSignal | None = None
    system_prompt: str | None = None
    closed: bool = False
    ended: bool = False
    background: set[asyncio.Task[object]] = attrs.field(factory=set)
    commands: set[AbortSignal] = attrs.field(factory=set)
    wishes: list[Wish] = attrs.field(factory=list)
    held: list[CustomMessage] = attrs.field(factory=list)

    def allowed_tools(self) -> dict[str, ToolDefinition]:
        """Every tool that may be called, by name."""
        excluded = self.parts.settings.exclude_tools
        return {name: tool for name, tool in self.parts.tools().items() if name not in excluded}

    def active_tools(self) -> dict[str, ToolDefinition]:
        """The tools offered to the model, by name.

        Where nobody chose, the recipe model gets all of them: its steps are the user's own words.
        """
        chosen = self.active if self.active is not None else self.parts.settings.tools
        allowed = self.allowed_tools()
        if chosen is not None:
            return {name: tool for name, tool in allowed.items() if name in chosen}
        every = self.model == RECIPE_MODEL
        return {name: tool for name, tool in allowed.items() if every or tool.default_active}

    def prompt_options(self) -> SystemPromptOptions:
        """What the next run's system prompt is made of."""
        resources = self.parts.resources()
        return prompt_options(
            self.active_tools().values(),
            custom_prompt=self.parts.system_prompt or resources.system_prompt,
            append=(*resources.append_system_prompt, *self.parts.append_system_prompt),
            context_files=resources.context_files,
            skills=tuple(resources.skills.values()),
        )

    def render_prompt(self, options: SystemPromptOptions) -> str:
        """The system prompt that ``options`` make today."""
        # The user's own date is meant, whatever zone that is.
        return render_system_prompt(options, cwd=self.parts.cwd, today=date.today())  # noqa: DTZ011

    def tool_context(
        self,
        signal: AbortSignal | None = None,
        *,
        on_update: Callable[[ToolResult], None] | None = None,
    ) -> ToolCallContext:
        """The context of a tool call.

        Args:
            signal: Ends the call; ``None`` is what ends the run under way.
            on_update: Shown what there is so far; ``None`` where nobody looks.
        """
        return ToolCallContext(self.parts.context(), env=self.tool_env(), signal=signal, on_update=on_update)

    def tool_env(self) -> dict[str, str]:
        """The variables that programs started by tools see."""
        store = self.parts.store
        values = {
            "SESSION_ID": store.id,
            "SESSION_FILE": str(store.file) if store.file else None,
            "PROVIDER": self.model.provider if self.model else None,
            "MODEL": self.model.id if self.model else None,
        }
        prefix = self.parts.env_prefix
        return {f"{prefix}_{name}": value for name, value in values.items() if value is not None}

    async def deliver(self, message: _M) -> _M:
        """Let a whole message into the conversation: ``message_start``, ``message_end``, the store.

        Args:
            message: As it comes.

        Returns:
            The message as it was stored.
        """
        await self.stream.emit(MessageStartEvent(message=message))
        return await self.finish(message)

    async def finish(self, message: _M) -> _M:
        """The same for a message that has begun already."""
        kept = await self._seen(message)
        self.parts.store.append_message(kept)
        return kept

    async def deliver_aside(self, message: CustomMessage) -> None:
        """Let a message into the conversation that is part of no run.

        Args:
            message: As it comes. Where a run begins while handlers look at it, it is stored after the run:
                between a tool call and its result there must be nothing else.
        """
        await self.stream.emit(MessageStartEvent(message=message))
        kept = await self._seen(message)
        if self.signal is None:
            self.parts.store.append_message(kept)
        else:
            self.held.append(kept)

    async def _seen(self, message: _M) -> _M:
        """The message as the handlers leave it."""
        final = await self.stream.emit(MessageEndEvent(message=message))
        return final if isinstance(final, type(message)) else message

    def run_ended(self) -> None:
        """No run is under way any more; what waited for its end is stored."""
        self.signal = None
        self.system_prompt = None
        held, self.held = self.held, []
        for message in held:
            self.parts.store.append_message(message)

    def fire(self, event: Event) -> None:
        """Emit an event without waiting for its handlers."""
        task: asyncio.Task[object] = asyncio.get_running_loop().create_task(self.stream.emit(event))
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    async def background_done(self) -> None:
        """Return once nothing is at work in the background."""
        while self.background:
            await asyncio.wait(self.background)

    def route_state(self, model: Model) -> object:
        """What the virtual model's last route on this branch left for its next."""
        for _, entry in of_type(self.parts.store.branch(), CustomEntry, last_first=True):
            data = entry.data if entry.kind == _ROUTE else None
            if isinstance(data, dict) and data.get("model") == model.ref:
                return data.get("state")
        return None

    def keep_route_state(self, model: Model, state: object) -> None:
        """Keep what a virtual model's route leaves for its next.

        Raises:
            TypeError: it has no JSON form.
        """
        self.parts.store.append(CustomEntry, kind=_ROUTE, data={"model": model.ref, "state": state})
