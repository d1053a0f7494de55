"""Starting a session's runs, one at a time, from what is said to it; and ending them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import attrs

from pihost.content import ImageContent
from pihost.context import AbortSignal
from pihost.events import AgentSettledEvent, InputSource
from pihost.messages import CustomMessage, UserMessage
from pihost.session._room import Room, refuse_wishes
from pihost.session._state import Queued, SessionState
from pihost.session._wish import Wish
from pihost.session.errors import SessionBusyError, SessionClosedError
from pihost.session.loop import Loop
from pihost.tools.calling.aborting import until_aborted

if TYPE_CHECKING:
    from pihost.entries import CompactionEntry
    from pihost.events import InputResult

__all__ = ["Runs", "Said"]

_T = TypeVar("_T")

Streaming = Literal["steer", "follow_up"]


def _images(value: Iterable[ImageContent]) -> tuple[ImageContent, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Said:
    """What somebody says to the session.

    Attributes:
        text: The text.
        images: Pictures that come with it.
        source: Where it comes from.
    """

    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)
    source: InputSource


async def _nothing() -> None:
    """An opening that nothing comes of."""


class Runs:
    """The runs of a session.

    Args:
        state: The session.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._task: asyncio.Task[None] | None = None
        self._opener: asyncio.Task[Any] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no run is under way."""
        return self._state.signal is None

    def prompt(self, said: Said) -> asyncio.Task[None]:
        """Start a run from a prompt.

        Raises:
            SessionBusyError: one is under way.
            SessionClosedError: the session has ended.
        """
        return self._begin(lambda: self._opened_by(said))

    def trigger(self, message: Queued) -> asyncio.Task[None]:
        """Start a run from a message that needs no ``input``. Raises as ``prompt`` does."""
        return self._begin(lambda: self._introduced([message], message.text, ()))

    async def say(self, said: Said, how: Streaming) -> None:
        """Say something to the run under way; without one it starts one.

        Args:
            said: What.
            how: When it reaches the model.
        """
        if self.is_idle:
            _ = self.prompt(said)
            return
        message = await self._heard(said, how)
        if message is not None and not self._state.closed:
            self._queue_or_start(message, how)

    def _queue_or_start(self, message: Queued, how: Streaming) -> None:
        if self.is_idle:  # the run ended while the message was heard
            _ = self.trigger(message)
        else:
            self.queue(message, how)

    def queue(self, message: Queued, how: Streaming) -> None:
        """Let a message wait for the run under way."""
        queues = self._state.queues
        (queues.steering if how == "steer" else queues.follow_up).append(message)

    def say_later(self, said: Said, how: Streaming) -> None:
        """The same as ``say`` for callers that cannot wait; a run does not end before it is heard."""
        if self.is_idle:
            _ = self.prompt(said)
            return
        task: asyncio.Task[object] = asyncio.get_running_loop().create_task(self.say(said, how))
        self._state.background.add(task)
        task.add_done_callback(self._state.background.discard)

    async def compact(self, instructions: str | None) -> CompactionEntry:
        """Compact the conversation: now, or before the next request of the run under way.

        Raises:
            CompactionError: it was not compacted.
            SessionClosedError: the session has ended.
        """
        signal = self._state.signal
        if signal is not None and self.is_opening():
            from pihost.session._compaction import compact

            return await compact(self._state, reason="manual", signal=signal, instructions=instructions)
        outcome: asyncio.Future[CompactionEntry] = asyncio.get_running_loop().create_future()
        self.wish(Wish(instructions=instructions, outcome=outcome))
        return await outcome

    async def alone(self, work: Callable[[AbortSignal], Awaitable[_T]]) -> _T:
        """Do something during which no run may begin; what is said meanwhile is heard afterwards.

        Args:
            work: What to do. It is handed what ends it.

        Raises:
            SessionBusyError: a run is under way.
            SessionClosedError: the session has ended.
        """
        state = self._state
        if state.signal is not None and self.is_opening():
            return await work(state.signal)
        if state.closed:
            raise SessionClosedError
        if not self.is_idle:
            raise SessionBusyError
        state.signal = AbortSignal()
        try:
            return await work(state.signal)
        finally:
            state.run_ended()
            self._hear_what_waits()

    def _hear_what_waits(self) -> None:
        """Begin a run for what came while none could begin."""
        if self._something_waits():
            _ = self._begin(_nothing)

    def _something_waits(self) -> bool:
        state = self._state
        queues = state.queues
        return not state.closed and bool(queues.steering or queues.follow_up or state.wishes)

    def wish(self, wish: Wish) -> None:
        """The same for callers that cannot wait.

        Raises:
            SessionClosedError: the session has ended.
        """
        if self._state.closed:
            raise SessionClosedError
        self._state.wishes.append(wish)
        if self.is_idle:
            _ = self._begin(_nothing)  # what is wished for is done with before it settles

    def abort_now(self) -> None:
        """End the run under way, if there is one, and the user's own commands; what waits is dropped."""
        for command in self._state.commands:
            command.abort()
        if self._state.signal is not None:
            self._state.signal.abort()
            self._state.queues.clear()

    async def abort(self) -> None:
        """The same, and return once it has settled. A command that a prompt called is no run to be ended."""
        if self.is_opening():
            return
        self.abort_now()
        task = self._task
        if task is not None and task is not asyncio.current_task():
            await asyncio.wait({task})

    async def wait_for_idle(self) -> None:
        """Return once no run is under way and nothing is at work in the background.

        A command that a prompt called does not wait for itself.
        """
        while self._task is not None and not self._task.done() and not self.is_opening():
            await asyncio.wait({self._task})
        await self._state.background_done()

    def is_opening(self) -> bool:
        """Whether the caller is what a prompt called before its run."""
        return self._opener is not None and self._opener is asyncio.current_task()

    def _begin(self, opening: Callable[[], Coroutine[Any, Any, list[Queued] | None]]) -> asyncio.Task[None]:
        if self._state.closed:
            raise SessionClosedError
        if not self.is_idle:
            raise SessionBusyError
        signal = self._state.signal = AbortSignal()
        self._task = asyncio.get_running_loop().create_task(self._supervised(opening, signal))
        return self._task

    async def _supervised(
        self, opening: Callable[[], Coroutine[Any, Any, list[Queued] | None]], signal: AbortSignal
    ) -> None:
        try:
            await self._run_until_nothing_waits(await until_aborted(opening(), signal), signal)
        finally:
            if signal.aborted:
                self._state.queues.clear()
            refuse_wishes(self._state)
            self._state.run_ended()
            self._opener = None
            if self._state.ended:  # a command ended the session: its extensions are told no more
                self._state.stream.publish(AgentSettledEvent())
            else:
                await self._state.stream.emit(AgentSettledEvent())

    async def _run_until_nothing_waits(self, messages: list[Queued] | None, signal: AbortSignal) -> None:
        """Run what was said, and then what was said or wished for during a compaction or by a command."""
        while True:
            messages = messages or await until_aborted(self._left_over(), signal)
            if messages and not signal.aborted:
                await Loop(self._state, signal).run(messages)
            await Room(self._state, signal).grant()
            messages = None
            if signal.aborted or not (self._something_waits() or self._state.background):
                return

    async def _left_over(self) -> list[Queued] | None:
        """What a run starts with where the prompt was a command, or where one goes on after a compaction."""
        await self._state.background_done()
        queues = self._state.queues
        waiting = queues.take_steering() or queues.take_follow_up()
        if not waiting or self._state.closed:
            return None
        return await self._introduced(waiting, waiting[0].text, ())

    async def _opened_by(self, said: Said) -> list[Queued] | None:
        self._opener = asyncio.current_task()
        message = await self._heard(said, None)
        if message is None:
            return None
        images = [block for block in message.content if isinstance(block, ImageContent)]
        return await self._introduced([message], message.text, images)

    async def _heard(self, said: Said, how: Streaming | None) -> UserMessage | None:
        """The message that ``input`` and templates make of it; ``None`` where it is dealt with."""
        text, images = said.text, said.images
        answer = await self._input(said, how)
        if answer is not None:
            if answer.action == "handled":
                return None
            if answer.action == "transform":
                text, images = answer.text, answer.images
        expanded = await self._state.parts.expand(text)
        return None if expanded is None else UserMessage.from_text(expanded, images)

    async def _input(self, said: Said, how: Streaming | None) -> InputResult | None:
        """What the handlers of ``input`` make of what was said."""
        if not self._state.stream.has_handlers("input"):
            return None
        from pihost.events import InputEvent, InputResult

        event = InputEvent(text=said.text, images=said.images, source=said.source, streaming_behavior=how)
        answer = await self._state.stream.emit(event)
        return answer if isinstance(answer, InputResult) else None

    async def _introduced(
        self, messages: Sequence[Queued], prompt: str, images: Sequence[ImageContent]
    ) -> list[Queued]:
        """The messages that a run starts with, after ``before_agent_start``."""
        state = self._state
        options = state.prompt_options()
        rendered = state.render_prompt(options)
        extra: tuple[CustomMessage, ...] = ()
        system_prompt = rendered
        if state.stream.has_handlers("before_agent_start"):
            from pihost.events import BeforeAgentStartEvent

            event = BeforeAgentStartEvent(
                prompt=prompt, images=tuple(images), system_prompt=rendered, system_prompt_options=options
            )
            answer = await state.stream.emit(event)
            if isinstance(answer, tuple):
                extra, system_prompt = answer
        # Where no handler wrote a prompt of its own, what they changed of its parts counts.
        state.system_prompt = state.render_prompt(options) if system_prompt == rendered else system_prompt
        return [*messages, *state.queues.take_next_turn(), *extra]
