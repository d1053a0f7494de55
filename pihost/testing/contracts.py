"""What every provider must keep to, as tests that an author runs on theirs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, ClassVar

from pihost.content import TextContent, ToolCall
from pihost.context import AbortSignal
from pihost.messages import (
    AssistantMessage,
    Message,
    TextDelta,
    ToolCallDelta,
    ToolResultMessage,
    UserMessage,
)
from pihost.model import Model
from pihost.models.protocol import Done, Error, ModelRequest, Provider, Start, StreamEvent, ToolSpec

__all__ = ["ProviderContract"]

_SECONDS = 10.0
"""How long a provider may take over what should be immediate."""

_TOOL = ToolSpec(
    name="look",
    description="Look at a place",
    parameters={
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
        "additionalProperties": False,
    },
)


class _Hooks:
    """Hooks that nobody answers, and what they were called with."""

    def __init__(self) -> None:
        self.called: list[str] = []

    async def before_headers(self, headers: MutableMapping[str, str | None]) -> None:  # noqa: ARG002 -- the protocol's names
        self.called.append("before_headers")

    async def before_request(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        json.dumps(payload)
        self.called.append("before_request")
        return payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:  # noqa: ARG002 -- the protocol's names
        self.called.append("after_response")

    async def stream_event(self, data: Mapping[str, Any]) -> None:
        json.dumps(data)
        if self.called[-1:] != ["stream_event"]:
            self.called.append("stream_event")


class ProviderContract:
    """Tests of a provider.

    Derive from it, name the class ``Test…``, and give it a fixture ``provider``::

        class TestAcme(ProviderContract):
            @pytest.fixture
            def provider(self, acme_server):
                return AcmeProvider(base_url=acme_server.url)

    What stands behind the provider must answer any request with some text, and go on answering for as long as
    the tests run. No plugin for asynchronous tests is needed.

    Attributes:
        hooks_called: The hooks of a provider in the order in which it calls them; shorten it for one that
            sends no HTTP request.
    """

    hooks_called: ClassVar[tuple[str, ...]] = (
        "before_headers",
        "before_request",
        "after_response",
        "stream_event",
    )

    def test_its_models_are_its_own_and_told_apart(self, provider: Provider) -> None:
        """There is a model, each belongs to the provider, and no two have one id."""
        models = list(provider.models())
        assert models, "a provider offers at least one model"
        assert {model.provider for model in models} == {provider.id}
        assert len({model.id for model in models}) == len(models)

    def test_an_answer_ends_in_exactly_one_done(self, provider: Provider) -> None:
        """``Start`` comes first, ``Done`` last, and nothing but deltas between them."""
        pieces = _run(_answer(provider, _request(provider)))
        assert not isinstance(pieces[-1], Error), f"the request failed: {pieces[-1]}"
        assert isinstance(pieces[0], Start)
        assert isinstance(pieces[-1], Done)
        assert not [piece for piece in pieces[1:-1] if isinstance(piece, Start | Done | Error)]

    def test_the_pieces_are_what_the_message_holds(self, provider: Provider) -> None:
        """Deltas add up, by index, to the blocks of the message in ``Done``."""
        pieces = _run(_answer(provider, _request(provider)))
        done = pieces[-1]
        assert isinstance(done, Done)
        for index, block in enumerate(done.message.content):
            if isinstance(block, TextContent):
                texts = [p.text for p in pieces if isinstance(p, TextDelta) and p.index == index]
                assert "".join(texts) == block.text
            elif isinstance(block, ToolCall):
                parts = [
                    p.arguments_json for p in pieces if isinstance(p, ToolCallDelta) and p.index == index
                ]
                assert json.loads("".join(parts) or "{}") == block.arguments

    def test_the_message_and_the_end_agree(self, provider: Provider) -> None:
        """``Done`` says the same as its message, and no count is negative."""
        done = _run(_answer(provider, _request(provider)))[-1]
        assert isinstance(done, Done)
        assert done.message.stop_reason == done.stop_reason
        assert min(done.usage.input, done.usage.output, done.usage.cache_read, done.usage.cost) >= 0

    def test_hooks_are_called_in_order(self, provider: Provider) -> None:
        """Each hook is called once and in its place, with what has a JSON form."""
        hooks = _Hooks()
        _run(_answer(provider, _request(provider), hooks))
        assert tuple(hooks.called) == self.hooks_called

    def test_a_conversation_with_tool_calls_is_answered(self, provider: Provider) -> None:
        """A history of text, a call and its result, one of them an error, is taken."""
        call = ToolCall(id="call_1", name="look", arguments={"place": "here"})
        history: list[Message] = [
            UserMessage.from_text("Look here."),
            AssistantMessage(content=[TextContent(text="I look."), call], stop_reason="tool_use"),
            ToolResultMessage(
                tool_call_id=call.id,
                tool_name="look",
                content=[TextContent(text="no such place")],
                is_error=True,
            ),
            UserMessage.from_text("Then answer."),
        ]
        pieces = _run(_answer(provider, _request(provider, history)))
        assert isinstance(pieces[-1], Done), f"the request failed: {pieces[-1]}"

    def test_closing_the_stream_leaves_nothing_running(self, provider: Provider) -> None:
        """After ``aclose`` no task of the provider's is left."""
        assert _run(_left_after(_close_early, provider)) == []

    def test_cancelling_leaves_nothing_running(self, provider: Provider) -> None:
        """A cancelled request ends at once, as cancelled, and no task of it is left."""
        assert _run(_left_after(_cancel_early, provider)) == []


def _request(provider: Provider, messages: Iterable[Message] | None = None) -> ModelRequest:
    model: Model = provider.models()[0]
    return ModelRequest(
        model=model,
        messages=messages or [UserMessage.from_text("Say a word.")],
        tools=[_TOOL],
        system_prompt="Be brief.",
        signal=AbortSignal(),
    )


async def _answer(
    provider: Provider, request: ModelRequest, hooks: _Hooks | None = None
) -> list[StreamEvent]:
    return [piece async for piece in provider.stream(request, hooks or _Hooks())]


async def _close_early(provider: Provider) -> None:
    stream: Any = provider.stream(_request(provider), _Hooks())
    await anext(stream)
    await stream.aclose()


async def _cancel_early(provider: Provider) -> None:
    begun = asyncio.Event()

    async def follow() -> None:
        async for _ in provider.stream(_request(provider), _Hooks()):
            begun.set()
            await asyncio.sleep(_SECONDS)

    task = asyncio.create_task(follow())
    await asyncio.wait({task, asyncio.create_task(begun.wait())}, return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    await asyncio.wait({task}, timeout=_SECONDS)
    assert task.cancelled(), "a cancelled request must end as cancelled"


async def _left_after(act: Callable[[Provider], Awaitable[None]], provider: Provider) -> list[str]:
    """Names of the tasks that are there a moment later and were not before."""
    before = asyncio.all_tasks()
    await act(provider)
    await asyncio.sleep(0.05)
    return [task.get_name() for task in asyncio.all_tasks() - before]


def _run(work: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(work, 2 * _SECONDS)

    return asyncio.run(limited())
