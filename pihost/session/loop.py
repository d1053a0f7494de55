"""The agent loop: from what starts a run to where it would stop, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.context import AbortSignal
from pihost.events import AgentEndEvent, AgentStartEvent, TurnEndEvent, TurnStartEvent
from pihost.messages import AssistantMessage, CustomMessage, Message, ToolResultMessage, UserMessage, now_ms
from pihost.session._request import ask
from pihost.session._room import Room
from pihost.session._state import SessionState
from pihost.session._tool_calls import answer_calls
from pihost.tools.calling.aborting import until_aborted

__all__ = ["Loop"]

_Opening = Sequence[UserMessage | CustomMessage]


class Loop:
    """Runs a session's model until nothing is left to do.

    Args:
        state: The session.
        signal: Ends it; the loop then stops at once and keeps what is finished.
    """

    def __init__(self, state: SessionState, signal: AbortSignal) -> None:
        self._state = state
        self._signal = signal
        self._room = Room(state, signal)
        self._messages: list[Message] = []

    async def run(self, opening: _Opening) -> None:
        """``agent_start``, turns, ``agent_end``; and again for what was queued meanwhile.

        Args:
            opening: The messages it starts with.
        """
        pending = opening
        while True:
            await self._agent(pending)
            await self._room.grant()
            # What a handler said while the run ended is on its way through `input`.
            await until_aborted(self._state.background_done(), self._signal)
            queues = self._state.queues
            pending = queues.take_steering() or queues.take_follow_up()
            if not pending or self._signal.aborted:
                return

    async def _agent(self, opening: _Opening) -> None:
        self._messages = []
        await self._state.stream.emit(AgentStartEvent())
        try:
            await self._turns(opening)
        finally:
            await self._state.stream.emit(AgentEndEvent(messages=self._messages))

    async def _turns(self, opening: _Opening) -> None:
        pending: _Opening | None = opening
        index = 0
        while pending is not None:
            await self._state.stream.emit(TurnStartEvent(turn_index=index, timestamp=now_ms()))
            await self._deliver(pending)
            await self._room.make()
            answer = await ask(self._state, self._signal, self._room.make_again)
            self._messages.append(answer)
            results, ended = await answer_calls(self._state, answer, self._signal)
            self._messages += results
            await self._state.stream.emit(
                TurnEndEvent(turn_index=index, message=answer, tool_results=results)
            )
            pending = await self._next(answer, results, ended=ended)
            index += 1

    async def _deliver(self, messages: _Opening) -> None:
        for message in messages:
            self._messages.append(await self._state.deliver(message))

    async def _next(
        self, answer: AssistantMessage, results: Sequence[ToolResultMessage], *, ended: bool
    ) -> _Opening | None:
        """What the next turn begins with; ``None`` where there is none."""
        if self._signal.aborted or answer.stop_reason in {"error", "aborted"}:
            return None
        steering = self._state.queues.take_steering()
        if steering or (results and not ended):
            return steering
        return self._state.queues.take_follow_up() or await self._settle()

    async def _settle(self) -> _Opening | None:
        if not self._state.stream.has_handlers("agent_before_settle"):
            return None
        from pihost.events import AgentBeforeSettleEvent, Settle

        event = AgentBeforeSettleEvent(messages=self._messages)
        settle = await until_aborted(self._state.stream.emit(event), self._signal)
        if not isinstance(settle, Settle):
            return None
        if settle.go_on and not self._signal.aborted:
            return settle.messages
        await self._deliver(settle.messages)
        return None
