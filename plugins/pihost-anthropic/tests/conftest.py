"""A server on loopback that speaks the Messages API, and a provider that is configured for it."""

import asyncio

import pytest
from pihost_anthropic import MessagesProvider

from pihost.models import AbortSignal, Model, ModelRequest, ProviderConfig, ToolSpec, UserMessage
from pihost.testing import Reply, ScriptedServer, server_sent_events

LOOK = ToolSpec(
    name="look",
    description="Look at a place",
    parameters={"type": "object", "properties": {"place": {"type": "string"}}},
)


@pytest.fixture
def server():
    with ScriptedServer() as running:
        yield running


class Hooks:
    """Remembers its calls and changes what the test tells it to."""

    def __init__(self):
        self.calls = []
        self.change = lambda headers: None
        self.replace = lambda payload: payload
        self.events = []

    async def before_headers(self, headers):
        self.calls.append(("headers", dict(headers)))
        self.change(headers)

    async def before_request(self, payload):
        self.calls.append(("request", payload))
        return self.replace(payload)

    async def after_response(self, status, headers):
        self.calls.append(("response", status))

    async def stream_event(self, data):
        self.events.append(data)


@pytest.fixture
def hooks():
    return Hooks()


@pytest.fixture
def config(server):
    """The configuration of a provider at the server, with what else is said."""

    def make(model_id="small", **fields):
        api = "anthropic-messages"
        model = Model(provider="acme", id=model_id, api=api, reasoning=True, input_cost=2.0, max_tokens=9000)
        return ProviderConfig(**{"base_url": server.url, "api": api, "models": [model], **fields})

    return make


@pytest.fixture
def provider(config):
    def make(model_id="small", **fields):
        return MessagesProvider("acme", config(model_id, **fields))

    return make


@pytest.fixture
def ask(hooks):
    """The pieces of a provider's answer."""

    async def collect(provider, messages=None, **fields):
        request = ModelRequest(
            **{
                "model": provider.models()[0],
                "messages": messages or [UserMessage.from_text("hi")],
                "tools": [LOOK],
                "system_prompt": "be brief",
                "signal": AbortSignal(),
                **fields,
            }
        )
        return [piece async for piece in provider.stream(request, hooks)]

    return lambda *args, **fields: asyncio.wait_for(collect(*args, **fields), 20)


@pytest.fixture
def sse():
    """A streamed answer of these events."""

    def make(*events, split=None, end="\n", **fields):
        frames = server_sent_events(events, split=split, end=end)
        return Reply(parts=frames, **fields)

    return make
