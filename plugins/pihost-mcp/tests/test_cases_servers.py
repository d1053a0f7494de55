"""Faults that users of MCP servers hit, each by its row."""

import asyncio
import os
import signal
import time

import pytest

STUBBORN = """
import subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-I", "-S", "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])
with open("pids", "w") as file: file.write(f"{os.getpid()} {child.pid}")
def listed():
    HANG
    return [{"name": "echo", "inputSchema": {"type": "object"}}]
import atexit; atexit.register(time.sleep, 60)
"""


async def test_p01_a_server_that_ignores_term_is_gone_within_five_seconds_with_its_group(
    mounted, server, project, gone
):
    async with mounted(things=server(STUBBORN.replace("HANG", "pass"))):
        begun = time.monotonic()
    assert time.monotonic() - begun < 5
    for pid in (project / "pids").read_text().split():
        await gone(pid)


@pytest.mark.usefixtures("hasty")
async def test_p01_the_same_where_it_is_still_starting_and_the_end_is_cancelled(
    mounted, server, project, eventually, gone
):
    async def use():
        async with mounted(things=server(STUBBORN.replace("HANG", "time.sleep(60)"))):
            await asyncio.sleep(60)

    task = asyncio.create_task(use())
    await eventually(lambda: (project / "pids").exists() and " " in (project / "pids").read_text())
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0.2)
    assert await asyncio.wait({task}, timeout=5) == ({task}, set())
    for pid in (project / "pids").read_text().split():
        await gone(pid)


async def test_p03_a_program_that_is_not_there_is_named_and_the_others_run(mounted, server):
    async with mounted(gone={"command": "no-such-program"}, things=server()) as host:
        gone, things = await host.runner.mcp_servers()
    assert (gone.state, gone.error) == ("failed", "there is no program 'no-such-program'")
    assert things.state == "ready"


async def test_p03_a_server_that_dies_at_its_start_is_told_with_what_it_said(mounted, server):
    dies = server("print('the port is taken', file=sys.stderr, end=''); sys.exit(7)")
    async with mounted(dies=dies, things=server()) as host:
        dead, things = await host.runner.mcp_servers()
    assert (dead.state, dead.error) == ("failed", "exited with code 7: the port is taken")
    assert things.state == "ready"


DIES = """
def call(id, name, arguments, meta):
    if arguments.get("die"):
        print("out of memory", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    text(id, str(os.getpid()))
"""


async def test_p03_a_call_fails_at_once_where_its_server_dies_and_the_next_one_starts_it(mounted, server):
    async with mounted(dies=server(DIES), things=server()) as host:
        first = (await host.call_tool("mcp__dies__echo", {})).text
        begun = time.monotonic()
        result = await host.call_tool("mcp__dies__echo", {"die": True})
        assert time.monotonic() - begun < 5
        assert (result.is_error, result.text) == (
            True,
            "MCP server 'dies': was ended by SIGKILL: out of memory",
        )
        assert not (await host.call_tool("mcp__things__echo", {})).is_error
        second = (await host.call_tool("mcp__dies__echo", {})).text
        assert second not in {"", first}


async def test_p03_one_that_dies_between_calls_is_told_before_the_next_one(
    mounted, server, extension, eventually
):
    hears = extension(
        "def setup(api):\n    @api.on('mcp_servers_change')\n    def change(event, ctx):\n"
        "        for server in event.servers: note(f'{server.state} {server.error}')\n"
    )
    async with mounted(hears, dies=server(DIES)) as host:
        pid = (await host.call_tool("mcp__dies__echo", {})).text
        os.kill(int(pid), signal.SIGTERM)
        await eventually(lambda: "failed was ended by SIGTERM" in extension.notes())
        assert "mcp__dies__echo" in host.session.tools


async def test_p04_a_banner_and_blank_lines_are_skipped_with_one_warning(mounted, server, caplog):
    noisy = r"""
print("Welcome to tiny 1.0!\n\n{}\n[1, 2]", flush=True)
def call(id, *_):
    print("calling ...")
    text(id, "heard")
"""
    async with mounted(things=server(noisy)) as host:
        result = await host.call_tool("mcp__things__echo", {})
        (info,) = await host.runner.mcp_servers()
    assert (result.text, info.state) == ("heard", "ready")
    assert info.error.startswith("prints other lines than messages, such as 'Welcome to tiny 1.0!'")
    assert caplog.text.count("prints other lines") == 1
    assert len(caplog.records) == 1


async def test_p06_a_quarter_of_a_megabyte_on_stderr_before_the_answer_holds_nothing_up(
    mounted, server, tmp_path
):
    loud = r"""
def call(id, *_):
    for _ in range(2622): sys.stderr.write("x" * 99 + "\n")
    text(id, "heard")
"""
    async with mounted(things=server(loud)) as host:
        result = await asyncio.wait_for(host.call_tool("mcp__things__echo", {}), 10)
    assert result.text == "heard"
    status = next(tmp_path.glob("home/data/*/things.log")).stat()
    assert (status.st_size > 256 * 1024, status.st_mode & 0o777) == (True, 0o600)
