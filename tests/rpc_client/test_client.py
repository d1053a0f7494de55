"""The typed client, against a real server in a process of its own."""

import asyncio
import os
import pickle
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path

import pytest

from pihost.content import ToolResult
from pihost.context import NoUI
from pihost.events import AgentSettledEvent, ToolExecutionEndEvent, ToolExecutionStartEvent
from pihost.messages import AssistantMessage, UserMessage
from pihost.protocol.commands import Abort
from pihost.rpc_client import (
    MessageUpdate,
    RpcClient,
    RpcCommandError,
    RpcConnectionError,
    RpcError,
    SessionBegun,
    UnknownEvent,
)
from pihost.rpc_client._connection import Connection

GUARD = """
from pihost.events import ToolCallResult
def setup(api):
    @api.on("tool_call")
    async def ask(event, ctx):
        ctx.ui.set_status("tool", event.tool_name)
        if not await ctx.ui.confirm("Run it?", event.input["command"]):
            return ToolCallResult(block=True, reason="not now")
"""
ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    {reply}
    sys.stdout.flush()
"""
HEADLESS = """
import sys
from pihost.rpc_client import RpcClient
print([name for name in ("pihost.host", "pihost.session", "pihost.tools", "cattrs") if name in sys.modules])
"""


class Asked(NoUI):
    """A user who agrees to everything but what deletes."""

    def __init__(self):
        self.heard = []

    async def confirm(self, title, message):
        self.heard.append((title, message))
        return "rm" not in message

    def set_status(self, key, text):
        self.heard.append((key, text))


async def test_a_conversation_with_a_steer_and_a_dialog(start, extend):
    extend("guard", GUARD)
    user = Asked()
    ended = []
    async with start(dialogs=user) as client:
        async for event in client.prompt("bash: sleep 0.2\nbash: echo one"):
            if isinstance(event, ToolExecutionStartEvent) and not ended:
                await client.steer("bash: rm -rf nothing")
            if isinstance(event, ToolExecutionEndEvent):
                ended.append((event.args["command"], event.is_error))
        messages = await client.get_messages()
    assert ended[0] == ("sleep 0.2", False)
    assert ("rm -rf nothing", True) in ended
    assert ("Run it?", "rm -rf nothing") in user.heard
    assert ("tool", "bash") in user.heard
    assert [message.text for message in messages if isinstance(message, UserMessage)] == [
        "bash: sleep 0.2\nbash: echo one",
        "bash: rm -rf nothing",
    ]


async def test_events_are_the_hosts_own_classes(start):
    async with start() as client:
        events = [event async for event in client.prompt("ls")]
    assert isinstance(events[-1], AgentSettledEvent)
    assert any(isinstance(event, MessageUpdate) for event in events)
    assert not any(isinstance(event, UnknownEvent) for event in events)


async def test_every_command_has_its_method_and_value(start, project):
    async with start() as client:
        _ = [event async for event in client.prompt("ls")]
        state = await client.get_state()
        assert (state.cwd, state.message_count) == (str(project), 4)
        assert isinstance((await client.get_messages())[1], AssistantMessage)
        assert [model.ref for model in await client.get_available_models()] == ["local/recipe"]
        assert (await client.set_model("recipe")).ref == "local/recipe"
        await client.set_thinking_level("low")
        assert (await client.get_state()).thinking_level == "low"
        assert (await client.bash("echo hi", exclude_from_context=True)).text == "hi\n"
        assert isinstance(await client.call_tool("read", {"path": "README.md"}), ToolResult)
        assert "broken" not in {command.name for command in await client.get_commands()}
        assert (await client.get_extensions()).extensions == ()
        await client.follow_up("ls")
        await client.abort()


async def test_sessions_are_left_forked_and_taken_up_again(start):
    async with start() as client:
        for _ in range(2):
            _ = [event async for event in client.prompt("ls")]
        first = await client.get_state()
        assert (await client.compact("briefly")).type == "compaction"
        assert not (await client.new_session()).cancelled
        assert (await client.get_state()).session_id != first.session_id
        assert not (await client.switch_session(first.session_file)).cancelled
        assert (await client.fork(first.leaf_id)).text is None
        assert (await client.get_state()).message_count == first.message_count


async def test_another_session_is_an_event(start):
    async with start() as client, aclosing(client.events()) as events:
        following = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        await client.new_session()
        assert isinstance(await following, SessionBegun)


async def test_what_the_server_does_not_do_is_raised_with_its_words(start):
    async with start() as client:
        with pytest.raises(RpcCommandError, match=r"set_model: .*'nothing-like-it'"):
            await client.set_model("nothing-like-it")
        assert (await client.get_state()).is_idle


async def test_a_second_prompt_is_refused_and_the_first_goes_on(start):
    async with start() as client:
        events = client.prompt("bash: sleep 0.3")
        await anext(events)
        with pytest.raises(RpcCommandError, match="a run is under way"):
            _ = [event async for event in client.prompt("ls")]
        assert [event async for event in events][-1].hook_name == "agent_settled"


async def test_leaving_a_prompt_aborts_its_run(start):
    async with start() as client:
        async with aclosing(client.prompt("bash: sleep 30")) as events:
            async for event in events:
                if isinstance(event, ToolExecutionStartEvent):
                    break
        assert (await client.get_state()).is_idle


async def test_nobody_to_answer_is_an_answer(start, extend):
    extend("guard", GUARD)
    async with start() as client:
        ends = [e async for e in client.prompt("bash: echo hi") if isinstance(e, ToolExecutionEndEvent)]
    assert ends[0].is_error


async def test_a_user_interface_that_fails_dismisses_the_dialog(start, extend):
    extend("guard", GUARD)

    class Broken(NoUI):
        async def confirm(self, title, message):
            raise RuntimeError("no screen")

    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context["exception"]))
    async with start(dialogs=Broken()) as client:
        ends = [e async for e in client.prompt("bash: echo hi") if isinstance(e, ToolExecutionEndEvent)]
    assert ends[0].is_error
    assert str(told[0]) == "no screen"


ASK = """
import asyncio
def setup(api):
    async def ask(args, ctx):
        ctx.ui.notify("hear", "error")
        picked = await ctx.ui.select("Which?", ["a", "b"])
        typed = await ctx.ui.input("Name?", "nobody")
        late = await ctx.ui.confirm("Late?", "Wait", timeout=0.1)
        api.set_session_name(f"{picked} {typed} {late}")
    api.register_command("ask", handler=ask)
"""


class Clerk(NoUI):
    """A user who answers all but one question, and is told when that is taken away."""

    def __init__(self):
        self.heard = []

    async def select(self, title, options):
        return options[-1]

    async def input(self, title, placeholder=""):
        return f"not {placeholder}"

    async def confirm(self, title, message):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.heard.append("dismissed")
            raise

    def notify(self, message, level="info"):
        self.heard.append((message, level))


async def test_each_kind_of_dialog_reaches_the_user_and_a_late_one_is_taken_away(start, extend):
    extend("ask", ASK)
    user = Clerk()
    async with start(dialogs=user) as client:
        _ = [event async for event in client.prompt("/ask")]
        assert (await client.get_state()).session_name == "b not nobody False"
    assert user.heard == [("hear", "error"), "dismissed"]


async def test_a_file_of_the_hosts_name_in_the_directory_is_not_run(project):
    (project / "pihost.py").write_text("open('ran', 'w').close()")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    async with RpcClient.start(cwd=project, env=env) as client:
        assert (await client.get_state()).session_id
    assert not (project / "ran").exists()


async def test_a_user_interface_that_cannot_show_something_ends_nothing(start, extend):
    extend("ask", ASK)

    class Broken(Clerk):
        def notify(self, message, level="info"):
            raise ValueError("no screen")

    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context["exception"]))
    async with start(dialogs=Broken()) as client:
        _ = [event async for event in client.prompt("/ask")]
        assert (await client.get_state()).session_name == "b not nobody False"
    assert [str(fault) for fault in told] == ["no screen"]


class BrokenServer:
    """Answers nothing, since reading from it fails."""

    async def lines(self):
        raise OSError("the cable is cut")
        yield b""

    async def send(self, line):
        await asyncio.sleep(0)

    async def end(self):
        await asyncio.sleep(0)


async def test_what_goes_wrong_while_lines_are_read_is_told_to_whoever_waits():
    connection = Connection(BrokenServer(), NoUI())
    with pytest.raises(RpcConnectionError, match="the cable is cut"):
        await connection.ask(Abort())
    await connection.close()


async def test_a_start_that_is_refused_says_why(start):
    async with start("-e", "missing.py") as client:
        with pytest.raises(RpcConnectionError, match="ended with code 1") as caught:
            await client.get_state()
        with pytest.raises(RpcConnectionError):
            await client.get_state()
    assert str(caught.value).count("missing.py") == 1
    assert caught.value.exit_code == 1


async def test_a_program_that_is_not_there_says_so(tmp_path):
    with pytest.raises(RpcConnectionError, match="cannot be started"):
        async with RpcClient.start([str(tmp_path / "nothing")]):
            pass


async def test_a_server_that_dies_ends_every_wait(scripted):
    code = "import sys, time\nsys.stdin.readline()\nprint('oh no', file=sys.stderr)\nsys.exit(7)"
    async with scripted(code) as client:
        asked = [client.get_state(), client.get_messages(), anext(client.prompt("ls"))]
        faults = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(fault) for fault in faults} == {RpcConnectionError}
    assert {(fault.exit_code, fault.stderr) for fault in faults} == {(7, "oh no\n")}


@pytest.mark.parametrize("line", ["hello", "[]", '{"type": "response"}', '{"type": "retry"}'])
async def test_a_server_that_speaks_nonsense_is_an_error(scripted, line):
    async with scripted(ECHO.format(reply=f"print({line!r})")) as client:
        with pytest.raises(RpcConnectionError, match="no record"):
            await client.get_state()


async def test_data_that_does_not_fit_is_an_error(scripted):
    record = '{"type": "response", "id": asked["id"], "command": "x", "success": True, "data": 5}'
    reply = f"print(json.dumps({record}))"
    async with scripted(ECHO.format(reply=reply)) as client:
        with pytest.raises(RpcConnectionError, match="the response to get_state cannot be read"):
            await client.get_state()


async def test_the_events_of_a_server_that_fails_end_with_its_fault(scripted):
    async with scripted("import sys; sys.stdin.readline(); sys.exit('no more')") as client:
        following = asyncio.ensure_future(anext(client.events()))
        with pytest.raises(RpcError):
            await client.abort()
        with pytest.raises(RpcConnectionError, match="no more"):
            await following


async def test_the_events_end_with_the_server(scripted):
    """One that ends as it should is no fault."""
    async with scripted("import sys; sys.stdin.readline()") as client:
        following = asyncio.ensure_future(anext(client.events()))
        with pytest.raises(RpcError):
            await client.abort()
        with pytest.raises(StopAsyncIteration):
            await following


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}'); time.sleep(60)",
    ],
    ids=["ignores the end of its input", "ignores SIGTERM too"],
)
async def test_a_server_that_does_not_end_is_ended(scripted, code, monkeypatch):
    monkeypatch.setattr("pihost.rpc_client._process._PATIENCE_SECONDS", 0.5)
    begun = time.monotonic()
    async with scripted(code) as client:
        process = client._connection._server._process
    assert process.returncode < 0
    assert time.monotonic() - begun < 10


async def test_a_client_that_is_cancelled_leaves_no_process(start):
    started = asyncio.Event()
    pids = []

    async def use():
        async with start() as client:
            pids.append(client._connection._server._process.pid)
            started.set()
            await asyncio.sleep(60)

    task = asyncio.ensure_future(use())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_it_does_not_import_the_host():
    done = subprocess.run([sys.executable, "-c", HEADLESS], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("fault", [RpcCommandError("abort", "no"), RpcConnectionError("gone", 3, "why")])
def test_its_errors_can_be_pickled(fault):
    again = pickle.loads(pickle.dumps(fault))
    assert (str(again), vars(again)) == (str(fault), vars(fault))
