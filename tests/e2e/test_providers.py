"""The providers of our own, installed by pip, against servers on loopback that speak their wire APIs."""

import importlib.util
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pihost.testing import Reply, ScriptedServer, server_sent_events

pytestmark = pytest.mark.installs

PLUGINS = Path(__file__).parents[2] / "plugins"


def completions(text=None, call=None):
    """A streamed answer of Chat Completions: text, or a call of ``read``."""
    if call is None:
        delta, end = {"content": text}, "stop"
    else:
        function = {"name": "read", "arguments": json.dumps({"path": call})}
        delta, end = {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}, "tool_calls"
    chunks = [{"choices": [{"delta": delta}]}, {"choices": [{"delta": {}, "finish_reason": end}]}, "[DONE]"]
    return Reply(parts=server_sent_events(chunks, split=3))


def messages(text=None, call=None):
    """The same of the Messages API."""
    if call is None:
        block, delta, end = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn"
    else:
        block = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
        delta, end = {"type": "input_json_delta", "partial_json": json.dumps({"path": call})}, "tool_use"
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "message_delta", "delta": {"stop_reason": end}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return Reply(parts=server_sent_events(events, split=3))


APIS = {
    "openai-completions": ("/v1", completions, "pihost_openai"),
    "anthropic-messages": ("", messages, "pihost_anthropic"),
}


@pytest.fixture(scope="module")
def providing(new_environment):
    """An environment in which both are installed."""
    if not PLUGINS.exists():
        return new_environment()
    return new_environment(PLUGINS / "pihost-openai", PLUGINS / "pihost-anthropic")


@pytest.fixture(params=APIS)
def served(request, project_in, providing):
    """A project whose model is at a server, the server, and what makes its answers."""
    path, make, package = APIS[request.param]
    if not PLUGINS.exists() and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed here")
    project = project_in(providing)
    with ScriptedServer() as server:
        project.write(
            project.home / ".pihost" / "settings.toml",
            f'default_model = "here/small"\nretries = 0\n[providers.here]\nbase_url = "{server.url}{path}"\n'
            f'api = "{request.param}"\napi_key = "$HERE_KEY"\nmodels = [{{ id = "small" }}]\n',
        )
        project.env["HERE_KEY"] = "very-secret"
        yield project, server, make


def test_a_run_calls_a_tool_and_says_what_it_found(served):
    project, server, make = served
    server.answer(make(call="README.md"), make("It has a few lines."))
    done = project.run("-p", "What is in the README?", installed=True)
    assert (done.returncode, done.stdout) == (0, "It has a few lines.\n"), done.stderr
    assert "It has a few lines.\\n" in server.received[1].body.decode()


def test_a_conversation_is_gone_on_with_and_forked(served):
    project, server, make = served
    server.answer(make("First."), make("Second."), make("Elsewhere."))
    project.run("-p", "one", installed=True)
    project.run("-c", "-p", "two", installed=True)
    listed = json.loads(project.run("sessions", "list", "--json", installed=True).stdout)
    assert len(listed) == 1
    project.run("--fork", listed[0]["id"], "-p", "three", installed=True)
    sent = [request.body.decode() for request in server.received]
    assert [("one" in one, "First." in one, "two" in one, "Second." in one) for one in sent] == [
        (True, False, False, False),
        (True, True, True, False),
        (True, True, True, True),
    ]
    assert len(json.loads(project.run("sessions", "list", "--json", installed=True).stdout)) == 2


def test_the_json_stream_shows_deltas_and_no_key(served):
    project, server, make = served
    server.answer(make("Hello there."))
    done = project.run("--mode", "json", "hi", installed=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[0]["type"] == "session"
    updates = [event for event in events if event["type"] == "message_update"]
    assert "".join(event["delta"].get("text", "") for event in updates) == "Hello there."
    assert "very-secret" not in done.stdout + done.stderr


SEEN = """
def setup(api):
    @api.on("message_update")
    def seen(event, ctx):
        if event.delta.type in ("text_delta", "tool_call_delta") and len(ctx.session.messages()) > 1:
            (ctx.cwd / "seen").touch()
"""


def cut(reply):
    """The first half of an answer, and then nothing for long."""
    whole = b"".join(reply.parts)
    middle = whole.index(b"half") + 4
    return Reply(parts=[whole[: whole.index(b"\n\n", middle) + 2], 60.0, b": too late\n\n"])


def interrupt(project, *words):
    """Run pihost, interrupt it once the second answer has begun, and give its exit code and outputs."""
    project.extend("global", "seen", SEEN)
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(project.command(*words), cwd=project.cwd, env=project.env, text=True, **pipes)
    deadline = time.monotonic() + 60
    while not (project.cwd / "seen").exists() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    return running.returncode, out, err


def said_in(request):
    """What a request of either API says, in order: texts by role, ids of calls and of their results."""
    for message in request.payload["messages"]:
        role, content = message["role"], message["content"] or ()
        if role == "tool":
            yield "result", message["tool_call_id"]
        elif role != "system":
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                who = {"tool_use": "call", "tool_result": "result"}.get(block["type"], role)
                yield who, block.get("text") or block.get("id") or block["tool_use_id"]
        yield from (("call", call["id"]) for call in message.get("tool_calls", ()))


@pytest.mark.parametrize(
    ("half", "kept"),
    [({"text": "only half of it"}, [("assistant", "only half of it")]), ({"call": "half of a path"}, [])],
    ids=["text", "call"],
)
def test_an_answer_that_is_interrupted_leaves_a_session_to_go_on_with(served, half, kept):
    """What was finished stays: the call and its result, the text that came; half a call is none."""
    project, server, make = served
    server.answer(make(call="README.md"), cut(make(**half)), make("Gone on."))
    assert interrupt(project, "-p", "What is in the README?") == (130, "", "")
    done = project.run("-c", "-p", "Go on.", installed=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Gone on.\n", "")
    before = [("user", "What is in the README?"), ("call", "c1"), ("result", "c1")]
    assert list(said_in(server.received[2])) == [*before, *kept, ("user", "Go on.")]


def test_a_refusal_is_told_in_the_providers_words_and_ends_with_code_1(served):
    project, server, _make = served
    server.answer(Reply.of_json({"error": {"type": "x", "message": "no credit left"}}, status=402))
    done = project.run("-p", "hi", installed=True)
    assert done.returncode == 1
    assert "no credit left" in done.stderr
    assert "very-secret" not in done.stdout + done.stderr
