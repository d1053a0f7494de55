"""One answer of a model: the context that is sent, the request and its retries, the pieces that come back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pihost.context import AbortSignal
from pihost.errors import PihostError, describe
from pihost.events import MessageStartEvent, MessageUpdateEvent
from pihost.messages import AssistantMessage, Message, SystemMessage, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.model import Model
from pihost.models.answer import Answer
from pihost.models.protocol import Done, Error, ModelRequest, Start, StreamEvent, ToolSpec
from pihost.models.registry import Resolved
from pihost.models.wire import whole_text
from pihost.session._overflow import is_too_long
from pihost.session._provider_hooks import EventHooks
from pihost.session._state import SessionState
from pihost.session.recipe import RECIPE_MODEL
from pihost.session.transcript import sendable
from pihost.tools.calling.aborting import until_aborted

__all__ = ["ask", "ask_aside"]

_LONGEST_WAIT_SECONDS = 60.0
"""A provider that asks for more has no place left for this user: that is said, not waited for."""
_NO_MODEL = "No model is chosen. Choose one with --model, or with default_model in the settings."


async def ask(
    state: SessionState, signal: AbortSignal, make_room: Callable[[], Awaitable[bool]]
) -> AssistantMessage:
    """Ask the model and store its answer. Whatever goes wrong is an answer too.

    Args:
        state: The session.
        signal: Ends the request.
        make_room: Shortens a conversation that the provider finds too long; where it could, it is asked once
            more.

    Returns:
        The answer as it was stored.
    """
    asking = _Asking(state, signal)
    answer = await until_aborted(asking.run(), signal)
    if answer is not None and asking.too_long and await make_room():
        answer = await until_aborted(asking.run(), signal)
    if answer is None:
        answer = asking.broken_off()
    await asking.begin(answer)
    return await state.finish(answer)


async def ask_aside(
    state: SessionState,
    signal: AbortSignal,
    messages: tuple[Message, ...],
    *,
    system_prompt: str,
    max_tokens: int,
) -> AssistantMessage | None:
    """Ask the model something that is not part of the conversation: no tools, nothing stored or shown.

    Args:
        state: The session.
        signal: Ends the request.
        messages: What it is asked.
        system_prompt: The instructions.
        max_tokens: Tokens the answer may have.

    Returns:
        The answer; ``None`` where the model is no language model, and so has none to anything but steps.
    """
    asking = _Asking(state, signal, aside=True)
    model = state.model or Model(provider="", id="")
    try:
        resolved = await asking.resolve(model, messages, system_prompt)
    except (PihostError, TypeError) as fault:
        return asking.failed(describe(fault))
    if resolved.model == RECIPE_MODEL:
        return None
    request = ModelRequest(
        model=resolved.model,
        messages=sendable(messages),
        system_prompt=system_prompt,
        max_tokens=max_tokens,
        signal=signal,
    )
    return await asking.attempts(resolved, request)


class _Asking:
    """One answer under way.

    Args:
        state: The session.
        signal: Ends the request.
        aside: The answer is not part of the conversation, so nothing of it is shown.

    Attributes:
        answer: The answer as far as it has come.
        too_long: The provider found the conversation too long.
    """

    def __init__(self, state: SessionState, signal: AbortSignal, *, aside: bool = False) -> None:
        self._state = state
        self._signal = signal
        self._aside = aside
        self._begun = False
        self.too_long = False
        self.answer = Answer(state.model or Model(provider="", id=""))

    async def run(self) -> AssistantMessage:
        """The answer, or one that says what went wrong."""
        self.too_long = False
        model = self._state.model
        if model is None:
            return self.failed(_NO_MODEL)
        messages, system_prompt = await self._context()
        try:
            resolved = await self.resolve(model, messages, system_prompt)
            request = self._request(resolved, messages, system_prompt)
        except (PihostError, TypeError) as fault:
            return self.failed(describe(fault))
        self.answer = Answer(resolved.model)
        return await self.attempts(resolved, request)

    def broken_off(self) -> AssistantMessage:
        """The answer of a request that was cancelled: by the user, or by the provider's own code."""
        if self._signal.aborted:
            return self.answer.cut("aborted")
        return self.failed("The provider cancelled the request")

    async def begin(self, message: AssistantMessage) -> None:
        """Say that the answer begins, unless that was said."""
        if not self._begun and not self._aside:
            self._begun = True
            await self._state.stream.emit(MessageStartEvent(message=message))

    async def _context(self) -> tuple[tuple[Message, ...], str]:
        stream = self._state.stream
        messages: Any = tuple(self._state.parts.store.messages())
        if stream.has_handlers("context"):
            from pihost.events import ContextEvent

            messages = _or(await stream.emit(ContextEvent(messages=messages)), messages)
        whole: Any = (SystemMessage(text=self._state.system_prompt or ""), *messages)
        if stream.has_handlers("context_with_system"):
            from pihost.events import ContextWithSystemEvent

            whole = _or(await stream.emit(ContextWithSystemEvent(messages=whole)), whole)
        system = "\n\n".join(message.text for message in whole if isinstance(message, SystemMessage))
        return sendable(message for message in whole if not isinstance(message, SystemMessage)), system

    async def resolve(self, model: Model, messages: tuple[Message, ...], system_prompt: str) -> Resolved:
        state = self._state
        if not state.parts.models.is_virtual(model):
            return state.parts.models.physical(model)
        from pihost.models.virtual import RouteRequest

        wanted = RouteRequest(
            messages=messages,
            system_prompt=system_prompt,
            thinking_level=state.thinking_level,
            state=state.route_state(model),
        )
        resolved = await state.parts.models.resolve(model, wanted, state.parts.context())
        if resolved.route is not None and resolved.route.state is not None:
            state.keep_route_state(model, resolved.route.state)
        return resolved

    def _request(self, resolved: Resolved, messages: tuple[Message, ...], system_prompt: str) -> ModelRequest:
        tools = [
            ToolSpec(name=tool.name, description=tool.description, parameters=tool.schema.json_schema)
            for tool in self._state.active_tools().values()
        ]
        return ModelRequest(
            model=resolved.model,
            messages=messages,
            tools=tools,
            system_prompt=whole_text(system_prompt),
            thinking_level=self._state.thinking_level,
            signal=self._signal,
        )

    async def attempts(self, resolved: Resolved, request: ModelRequest) -> AssistantMessage:
        retries = self._state.parts.settings.retries
        attempt = 0
        while True:
            self.answer = Answer(resolved.model)
            end = await self._attempt(resolved, request)
            if isinstance(end, Done):
                return self.answer.finished(end)
            self.too_long = is_too_long(end)
            if (
                self.too_long
                or not end.retryable
                or attempt >= retries
                or (end.retry_after or 0) > _LONGEST_WAIT_SECONDS
            ):
                return self.failed(_with_wait(end))
            await self._wait(attempt, retries, end)
            attempt += 1

    async def _attempt(self, resolved: Resolved, request: ModelRequest) -> Done | Error:
        hooks = EventHooks(hooks=self._state.stream, model=resolved.model)
        try:
            async with _closing(resolved.provider.stream(request, hooks)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Done | Error):
                        return piece
                    await self._take(piece)
        except Exception as fault:  # noqa: BLE001 -- a provider's code: its failure is an answer
            passing = isinstance(fault, ConnectionError | TimeoutError)
            return Error(message=describe(fault), retryable=passing)
        return Error(message="The provider's answer broke off", retryable=True)

    async def _take(self, piece: Start | TextDelta | ThinkingDelta | ToolCallDelta) -> None:
        await self.begin(self.answer.so_far())
        if not isinstance(piece, Start):
            self.answer.add(piece)
        if not isinstance(piece, Start) and not self._aside:
            await self._state.stream.emit(MessageUpdateEvent(message=self.answer.so_far(), delta=piece))

    async def _wait(self, attempt: int, retries: int, fault: Error) -> None:
        from pihost.events import RetryEvent

        delay = min(self._state.parts.retry_seconds * 2**attempt, _LONGEST_WAIT_SECONDS)
        delay = max(delay, fault.retry_after or 0.0)
        self._state.stream.publish(
            RetryEvent(
                attempt=attempt + 1,
                max_attempts=retries,
                delay_seconds=delay,
                error_message=self._state.parts.models.mask(fault.message),
            )
        )
        await asyncio.sleep(delay)

    def failed(self, fault: str) -> AssistantMessage:
        return self.answer.cut("error", self._state.parts.models.mask(fault))


def _with_wait(fault: Error) -> str:
    if not fault.retryable or not fault.retry_after:
        return fault.message
    return f"{fault.message} (the provider asks to wait {fault.retry_after:g} s)"


def _or(answer: object, default: Any) -> Any:
    return default if answer is None else answer


@contextlib.asynccontextmanager
async def _closing(pieces: AsyncIterator[StreamEvent]) -> AsyncIterator[AsyncIterator[StreamEvent]]:
    """End the provider's generator with the answer, so that its connection is not held open."""
    try:
        yield pieces
    finally:
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()
