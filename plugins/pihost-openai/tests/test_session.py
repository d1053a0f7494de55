"""The provider in a real host: a tool call, an abort, a resumed conversation, what it costs not to use it."""

import subprocess
import sys

import pihost_openai
import pytest

from pihost import ContinueSession
from pihost.models import Route, VirtualModel
from pihost.testing import Reply, server_sent_events


def chunk(end=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}


def calls(name, arguments):
    call = {"index": 0, "id": "c1", "function": {"name": name, "arguments": arguments}}
    return Reply(parts=server_sent_events([chunk(tool_calls=[call]), chunk(end="tool_calls"), "[DONE]"]))


def says(text):
    return Reply(parts=server_sent_events([chunk(content=text), chunk(end="stop"), "[DONE]"]))


@pytest.fixture
def bench(server, pihost_host, monkeypatch):
    """Open a host whose model is at the server."""
    monkeypatch.setenv("ACME_KEY", "very-secret")
    settings = f"""
    default_model = "acme/small"
    retries = 0
    [providers.acme]
    base_url = "{server.url}/v1"
    api_key = "$ACME_KEY"
    models = [{{ id = "small" }}]
    """
    return lambda **options: pihost_host(pihost_openai, settings=settings, **options)


async def choose(bench):
    """The scripted model stands aside for the one of the settings."""
    assert await bench.host.session.set_model(bench.host.models.find("acme/small"))


async def test_a_tool_is_called_and_its_result_goes_back(server, bench, pihost_project):
    (pihost_project / "a.txt").write_text("the word is blue\n")
    server.answer(calls("read", '{"path": "a.txt"}'), says("It is blue."))
    async with bench() as opened:
        await choose(opened)
        await opened.prompt("What is the word?")
        assert opened.answer == "It is blue."
        stored = opened.host.session.file.read_text()
    result = server.received[1].payload["messages"][-1]
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "the word is blue\n"}
    assert "very-secret" not in stored


async def test_a_conversation_that_is_gone_on_with_sends_what_was_said(server, bench):
    server.answer(says("Hello."), says("Again."))
    async with bench() as opened:
        await choose(opened)
        await opened.prompt("one")
    async with bench(session=ContinueSession()) as opened:
        await choose(opened)
        await opened.prompt("two")
    sent = server.received[1].payload["messages"]
    assert [one["content"] for one in sent if one["role"] != "system"] == ["one", "Hello.", "two"]


async def test_a_virtual_model_leads_to_it(server, bench):
    server.answer(says("Hello."))
    async with bench() as opened:
        route = Route(provider="acme", id="small", state={"turns": 1})
        virtual = VirtualModel(provider="acme", id="auto", route=lambda request, ctx: route)
        opened.host.models.register_virtual_model(virtual)
        assert await opened.host.session.set_model(opened.host.models.find("acme/auto"))
        await opened.prompt("hi")
        last = opened.messages[-1]
    assert server.received[0].payload["model"] == "small"
    assert (last.provider, last.model, last.api) == ("acme", "small", "openai-completions")


async def test_an_aborted_answer_keeps_what_had_come(server, bench):
    server.answer(Reply(parts=(server_sent_events([chunk(content="Once upon")])[0], 10.0)))
    async with bench() as opened:
        await choose(opened)
        async for event in opened.host.session.prompt("a story"):
            if event.hook_name == "message_update":
                opened.host.session.abort_soon()
        last = opened.messages[-1]
    assert (last.stop_reason, last.text) == ("aborted", "Once upon")


async def test_a_key_that_is_not_set_is_told_by_its_name(server, bench, monkeypatch):
    async with bench() as opened:
        await choose(opened)
        monkeypatch.delenv("ACME_KEY")
        await opened.prompt("hi")
        assert "ACME_KEY is not set" in opened.messages[-1].error_message
    assert server.received == []


def test_the_sdk_is_imported_only_for_a_request():
    code = "import sys, pihost_openai; print({'openai', 'httpx2', 'pydantic'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True
    )
    assert done.stdout.strip() == b"set()"
