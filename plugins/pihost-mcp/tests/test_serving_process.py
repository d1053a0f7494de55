"""``pihost mcp serve`` as a process of its own, and the SDK's own clients."""

import asyncio
import contextlib
import signal
import subprocess

import httpx2
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

GUARD = """
from pihost import hookimpl
from pihost.events import ToolCallResult
import os, sys

print("while loading")
os.write(1, b"past sys.stdout")
print(sys.stdin.read(), end="")

@hookimpl
def tool_call(event):
    print("in a hook")
    if event.tool_name == "bash" and "forbidden" in event.input["command"]:
        return ToolCallResult(block=True, reason="not here")

def setup(api):
    @api.tool(description="Choose the tools.")
    async def choose(names: str) -> str:
        api.set_active_tools(names.split())
        return "chosen"

    api.on("session_shutdown", lambda event, ctx: note(f"shutdown {event.reason}"))
    api.on("tool_execution_end", lambda event, ctx: note(f"end {event.tool_name}"))
"""


async def talk(session, told):
    """What a client does: look, call, be refused, give up, look again."""
    names = [tool.name for tool in (await session.list_tools()).tools]
    assert {"read", "bash", "choose"} <= set(names)
    read = await session.call_tool("read", {"path": "README.md"})
    assert read.content[0].text == "# A project\n"
    progress = []

    async def show(_number, _total, message):
        progress.append(message)

    done = await session.call_tool("bash", {"command": "echo one; sleep 0.3"}, progress_callback=show)
    assert (done.structured_content["output"], progress[0]) == ("one\n", "one")
    refused = await session.call_tool("bash", {"command": "echo forbidden"})
    assert (refused.is_error, refused.content[0].text) == (True, "not here")
    progress.clear()
    long = session.call_tool("bash", {"command": "echo up; sleep 30"}, progress_callback=show)
    given_up = asyncio.create_task(long)
    async with asyncio.timeout(20):
        while not progress:  # noqa: ASYNC110 -- the callback only keeps what it is shown
            await asyncio.sleep(0.01)
    given_up.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await given_up
    await session.call_tool("choose", {"names": "read choose"})
    await asyncio.wait_for(told.wait(), 10)
    assert [tool.name for tool in (await session.list_tools()).tools] == ["read", "choose"]


@pytest.fixture
def told():
    """An event, and a message handler that sets it when other tools are told of."""
    event = asyncio.Event()

    async def handle(message):
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            event.set()

    event.handle = handle
    return event


async def test_a_conversation_with_the_sdks_client_over_stdio(program, project, extension, told):
    argv, env, _home = program
    words = [*argv[1:], "mcp", "serve", "-e", str(extension(GUARD))]
    parameters = StdioServerParameters(command=argv[0], args=words, env=env, cwd=project)
    async with (
        stdio_client(parameters) as streams,
        ClientSession(*streams, message_handler=told.handle) as session,
    ):
        await session.initialize()
        await talk(session, told)
    assert extension.notes().count("shutdown quit") == 1
    assert extension.notes()[-1] == "shutdown quit"
    assert extension.notes().count("end bash") == 3


@pytest.fixture
def serve(program, project, extension, tmp_path, names_servers):
    """Start ``pihost mcp serve`` with these words, the user having these servers; it is ended in any case."""
    argv, inherited, _home = program
    env = {**inherited, "PIHOST_HOME": str(tmp_path / "user")}
    started = []

    def start(*words, **servers):
        names_servers(tmp_path / "user", servers)
        command = [*argv, "mcp", "serve", "-e", str(extension(GUARD)), *words]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, cwd=project, env=env, stdin=pipe, stdout=pipe, stderr=pipe))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


async def test_http_serves_every_era_on_this_machine_only_and_sigterm_ends_it_in_order(
    serve, extension, told
):
    process = serve("--http", "--port", "0")
    lines = iter(process.stderr.readline, b"")
    line = await asyncio.to_thread(lambda: next((line for line in lines if b"Serving at" in line), b""))
    address = line.decode().split("Serving at ")[-1].strip()
    assert address.startswith("http://127.0.0.1:")

    async with (
        streamable_http_client(address) as streams,
        ClientSession(*streams, message_handler=told.handle) as session,
    ):
        await session.initialize()
        await talk(session, told)
    async with Client(address) as client:
        assert client.protocol_version >= "2026"
        assert [tool.name for tool in (await client.list_tools()).tools] == ["read", "choose"]

    async with httpx2.AsyncClient() as web:
        hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"accept": "application/json, text/event-stream"}
        for headers in ({"host": "attacker.example.com"}, {"origin": "http://attacker.example.com"}):
            answer = await web.post(address, json=hello, headers={**accept, **headers})
            assert answer.status_code in {403, 421}

    process.send_signal(signal.SIGTERM)
    out, _err = await asyncio.to_thread(process.communicate)
    assert (process.returncode, out) == (143, b"")
    assert extension.notes().count("shutdown quit") == 1


async def test_sigterm_ends_the_call_under_way_the_session_and_mounted_servers_in_order(
    serve, server, extension, project, gone, eventually
):
    process = serve(things=server("open('server', 'w').write(str(os.getpid()))"))
    call = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n'
    shake = b'{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}'
    process.stdin.write(call % (1, b"initialize", shake))
    command = b'{"name":"bash","arguments":{"command":"echo $$ > pid; sleep 30"}}'
    process.stdin.write(call % (2, b"tools/call", command))
    process.stdin.flush()
    first = await asyncio.to_thread(process.stdout.readline)
    assert first.startswith(b'{"jsonrpc":"2.0","id":1,"result":')
    pid, other = project / "pid", project / "server"
    await eventually(lambda: all(path.exists() and path.read_text() for path in (pid, other)))
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, 10) == 143
    assert extension.notes() == ["end bash", "shutdown quit"]
    await gone(pid.read_text())
    await gone(other.read_text())


def test_a_port_that_is_taken_is_an_error_of_the_system(project, tmp_path, monkeypatch):
    import socket

    from pihost_mcp.cli import command

    monkeypatch.setenv("PIHOST_HOME", str(tmp_path / "user"))
    monkeypatch.chdir(project)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = ["serve", "-ne", "--http", "--port", str(taken.getsockname()[1])]
        with pytest.raises(OSError, match="in use"):
            command.main(words, standalone_mode=False)


def test_a_port_without_http_is_bad_usage(capsys):
    from click.testing import CliRunner
    from pihost_mcp.cli import command

    result = CliRunner().invoke(command, ["serve", "--port", "5"])
    assert (result.exit_code, "--port needs --http" in result.output) == (2, True)
