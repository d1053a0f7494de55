"""The provider in a real host: a tool call, an abort, a resumed conversation, what it costs not to use it."""

import subprocess
import sys

import pihost_anthropic
import pytest

from pihost import ContinueSession
from pihost.testing import Reply, server_sent_events


def answer(block, delta, reason="end_turn"):
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return server_sent_events(events)


def calls(name, arguments):
    block = {"type": "tool_use", "id": "c1", "name": name, "input": {}}
    return Reply(parts=answer(block, {"type": "input_json_delta", "partial_json": arguments}, "tool_use"))


def text(said):
    return answer({"type": "text", "text": ""}, {"type": "text_delta", "text": said})


def says(said):
    return Reply(parts=text(said))


@pytest.fixture
def bench(server, pihost_host, monkeypatch):
    """Open a host whose model is at the server."""
    monkeypatch.setenv("ACME_KEY", "very-secret")
    settings = f"""
    default_model = "acme/small"
    retries = 0
    [providers.acme]
    base_url = "{server.url}"
    api = "anthropic-messages"
    api_key = "$ACME_KEY"
    models = [{{ id = "small" }}]
    """
    return lambda **options: pihost_host(pihost_anthropic, settings=settings, **options)


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
    result = server.received[1].payload["messages"][-1]["content"][0]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == ("tool_result", "c1", False)
    assert result["content"] == [{"type": "text", "text": "the word is blue\n"}]
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
    assert [one["content"][0]["text"] for one in sent] == ["one", "Hello.", "two"]


async def test_an_aborted_answer_keeps_what_had_come(server, bench):
    server.answer(Reply(parts=(*text("Once upon")[:3], 10.0)))
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
    code = "import sys, pihost_anthropic; print({'anthropic', 'httpx2', 'pydantic'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True
    )
    assert done.stdout.strip() == b"set()"
