"""The request: headers, keys, hooks, refusals, lost connections."""

import asyncio
import socket

import pytest
from pihost_anthropic import MessagesProvider

from pihost.models import Error, ProviderConfig
from pihost.testing import ProviderContract, Reply, ScriptedServer, server_sent_events

BEGIN = {"type": "message_start", "message": {"usage": {"input_tokens": 1}}}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
STOP = {"type": "message_stop"}
ANSWER = (BEGIN, BLOCK, TEXT, END, STOP)


class TestMessages(ProviderContract):
    @pytest.fixture
    def provider(self, server, config):
        server.otherwise(Reply(parts=server_sent_events(ANSWER)))
        return MessagesProvider("acme", config())


@pytest.fixture
def answer(sse):
    return sse(*ANSWER)


async def test_what_hooks_make_of_headers_and_payload_is_sent(server, provider, ask, hooks, answer):
    server.answer(answer)

    def change(headers):
        headers["x-acme"] = "1"
        headers["Authorization"] = None
        headers["User-Agent"] = None

    hooks.change = change
    hooks.replace = lambda payload: {**payload, "seed": 7, "model": "other"}
    await ask(provider(api_key="secret-key"))
    (request,) = server.received
    assert request.headers["x-acme"] == "1"
    assert "authorization" not in request.headers
    assert "anthropic" not in request.headers.get("user-agent", "").lower()
    assert (request.payload["seed"], request.payload["model"]) == (7, "other")
    assert [name for name, _ in hooks.calls] == ["headers", "request", "response"]
    assert hooks.calls[0][1]["Authorization"] == "Bearer secret-key"
    assert hooks.events == list(ANSWER)


async def test_nothing_of_an_account_goes_to_another_server(server, provider, ask, answer, monkeypatch):
    for name in ("API_KEY", "AUTH_TOKEN"):
        monkeypatch.setenv(f"ANTHROPIC_{name}", "private-value")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: private-value")
    server.answer(answer)
    await ask(provider())
    headers = server.received[0].headers
    assert "private-value" not in str(headers)
    assert not [name for name in headers if name.startswith("x-stainless")]
    assert headers["anthropic-version"]
    assert "authorization" not in headers
    assert "x-api-key" not in headers


async def test_key_and_headers_are_looked_up_at_the_request(server, provider, ask, answer, monkeypatch):
    made = provider(api_key="$ACME_KEY", headers={"x-team": "!echo red"})
    monkeypatch.setenv("ACME_KEY", "late-key")
    server.answer(answer)
    await ask(made)
    headers = server.received[0].headers
    assert (headers["authorization"], headers["x-team"]) == ("Bearer late-key", "red")


async def test_lone_surrogates_are_sent_as_replacement_characters(server, provider, ask, answer, hooks):
    server.answer(answer)
    hooks.replace = lambda payload: {**payload, "metadata": "a\ud800b"}
    await ask(provider())
    assert server.received[0].payload["metadata"] == "a\ufffdb"


@pytest.mark.parametrize(
    "refusal",
    [
        (400, {}, (False, None)),
        (401, {}, (False, None)),
        (429, {"retry-after": "3"}, (True, 3.0)),
        (500, {}, (True, None)),
        (529, {"retry-after-ms": "1500"}, (True, 1.5)),
    ],
)
async def test_a_refusal_says_its_status_and_whether_to_ask_again(server, provider, ask, hooks, refusal):
    status, headers, told = refusal
    server.answer(
        Reply.of_json(
            {"type": "error", "error": {"type": "x", "message": "not now"}}, status=status, headers=headers
        )
    )
    (end,) = await ask(provider())
    assert (end.message, end.status) == (f"{status}: not now", status)
    assert (end.retryable, end.retry_after) == told
    assert len(server.received) == 1
    assert hooks.calls[-1] == ("response", status)


@pytest.mark.parametrize("broken", ['{"type": ', "[" * 100_000], ids=["torn", "nested without end"])
async def test_an_event_that_is_no_json_is_told(server, provider, ask, broken):
    server.answer(Reply(parts=server_sent_events([BEGIN, broken]), complete=True))
    end = (await ask(provider()))[-1]
    assert isinstance(end, Error)
    assert "no JSON" in end.message


async def test_a_refusal_that_is_no_json_is_told_too(server, provider, ask):
    server.answer(Reply(status=502, headers={"content-type": "text/html"}, parts=b"<h1>Bad Gateway</h1>"))
    (end,) = await ask(provider())
    assert (end.status, end.retryable) == (502, True)


async def test_no_other_server_gets_what_was_meant_for_this_one(server, provider, ask, answer):
    with ScriptedServer() as other:
        server.answer(Reply(status=307, headers={"location": f"{other.url}/elsewhere"}))
        other.answer(answer)
        (end,) = await ask(provider(api_key="very-secret", headers={"x-key": "as-secret"}))
        assert other.received == []
    assert (end.status, end.retryable) == (307, False)
    assert "/elsewhere; if that is right, it is the base_url" in end.message


async def test_hooks_hear_of_a_refusal_before_its_body_is_read(server, provider, ask, hooks):
    parts = [b'{"error": {', 5.0, b'"message": "late"}}']
    server.answer(Reply(status=500, headers={"content-type": "application/json"}, parts=parts))
    (end,) = await ask(provider(read_timeout=0.3))
    assert hooks.calls[-1] == ("response", 500)
    assert end.retryable


async def test_a_server_that_is_not_there_can_be_asked_again(ask):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        from pihost.models import Model

        config = ProviderConfig(base_url=url, models=[Model(provider="acme", id="small")])
        (end,) = await ask(MessagesProvider("acme", config))
    assert end.retryable
    assert end.message.startswith("The connection to the server failed")


@pytest.mark.parametrize("parts", [(5.0,), (server_sent_events([TEXT])[0], 5.0)], ids=["at once", "midway"])
async def test_a_server_that_stalls_is_left(server, provider, ask, parts):
    server.answer(Reply(parts=parts))
    end = (await ask(provider(read_timeout=0.2)))[-1]
    assert end == Error(message="The server took too long to answer", retryable=True)


async def until(happened):
    async with asyncio.timeout(5):
        while not happened():  # noqa: ASYNC110 -- the server runs in a thread, which sets no event here
            await asyncio.sleep(0.01)


async def test_a_cancelled_request_closes_its_connection(server, provider, ask):
    server.answer(Reply(parts=(server_sent_events([TEXT])[0], 10.0)))
    task = asyncio.ensure_future(ask(provider()))
    await until(lambda: server.received)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: server.cut_off)
