"""The tools that write, in processes that are killed or that write one file at the same time."""

import subprocess
import sys

import pytest

START = """
import asyncio, sys
from types import SimpleNamespace
from pathlib import Path
from pihost.content import ToolCall
from pihost.context import AbortSignal
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.calling.pipeline import call_tool
from pihost.tools.registry import ToolSettings, create_tool_definition

cwd = Path(sys.argv[1])
settings = ToolSettings(lock_dir=cwd / "locks")
tools = {name: create_tool_definition(name, cwd, settings=settings) for name in ("edit", "write")}

async def call(name, **arguments):
    ctx = ToolCallContext(SimpleNamespace(cwd=cwd, signal=AbortSignal()))
    result = await call_tool(tools, ToolCall(id="c", name=name, arguments=arguments), ctx=ctx)
    assert not result.is_error, result.text
"""

KILL_OFTEN = """
import os, random, signal, time

async def for_ever(once, ready):
    await once()
    os.write(ready, b".")
    while True:
        await once()

def kill_often(kills, once, check):
    "Fork, so that no kill has to wait for imports; each comes at another moment of the work."
    asyncio.run(once())
    for number in range(kills):
        told, ready = os.pipe()
        child = os.fork()
        if not child:
            asyncio.run(for_ever(once, ready))
        os.close(ready)
        assert os.read(told, 1)
        os.close(told)
        time.sleep(random.random() / 50)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        check((cwd / "f").read_text())
"""

EDIT_FOR_EVER = """
around = "x" * 200_000 + "\\n"
(cwd / "f").write_text(f"{around}count 0\\n{around}")
number = 0

async def once():
    global number
    await call("edit", path="f", old_text=f"count {number}\\n", new_text=f"count {number + 1}\\n")
    number += 1

def check(text):
    global number
    before, count, after = text.split("\\n", 2)
    assert (before + "\\n", after) == (around, around)
    assert int(count.removeprefix("count ")) > number
    number = int(count.removeprefix("count "))

kill_often(int(sys.argv[2]), once, check)
"""

WRITE_FOR_EVER = """
contents = ["a" * 70_000, "b" * 3, "c" * 200_000]

async def once():
    await call("write", path="f", content=random.choice(contents))

def check(text):
    assert text in contents

kill_often(int(sys.argv[2]), once, check)
"""

ADD_LINES = """
async def main(name, count):
    for number in range(int(count)):
        await call("edit", path="f", old_text="end\\n", new_text=f"{name}:{number}\\nend\\n")

asyncio.run(main(*sys.argv[2:]))
"""


def start(code, *arguments, **streams):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **streams)


def left_beside(file):
    return [path for path in file.parent.iterdir() if path.name.startswith(".pihost-")]


@pytest.mark.parametrize("work", [EDIT_FOR_EVER, WRITE_FOR_EVER], ids=["edit", "write"])
@pytest.mark.parametrize("kills", [40, pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(600)])])
def test_a_kill_at_any_moment_leaves_one_whole_content(tmp_path, request, kills, work):
    with start(START + KILL_OFTEN + work, tmp_path, kills) as process:
        assert process.wait() == 0
    left = len(left_beside(tmp_path / "f"))
    print(
        f"{request.node.callspec.id}: {kills} kills, {left} between the first byte and the rename, 0 damaged"
    )


def test_eight_processes_with_fifty_edits_each_lose_none(tmp_path):
    file = tmp_path / "f"
    file.write_text("end\n")
    running = [start(START + ADD_LINES, tmp_path, name, 50) for name in range(8)]
    assert [process.wait(100) for process in running] == [0] * 8
    lines = file.read_text().splitlines()
    landed = {name: sum(line.startswith(f"{name}:") for line in lines) for name in range(8)}
    print(f"8 processes, edits landed by process: {landed}, in all {len(lines) - 1}")
    assert sorted(lines) == sorted([*(f"{n}:{m}" for n in range(8) for m in range(50)), "end"])
    assert left_beside(file) == []
