"""A long session in one process: reloads, aborts, failing providers and new sessions leave nothing behind."""

import asyncio
import gc
import os
import threading
from pathlib import Path

import pytest

from pihost import Host, HostConfig, HostOptions, NewSession
from pihost.models import Error
from pihost.testing import ScriptedModel, asks

EXTENSION = """
import asyncio

def setup(api):
    api.on("tool_call", lambda event, ctx: None)
    api.register_command("hello", handler=lambda args, ctx: ctx.ui.notify("hello"))

    @api.on("session_start")
    async def begin(event, ctx):
        api.create_task(asyncio.Event().wait())
"""


class Run:
    """Takes turns of every kind, one after the other."""

    def __init__(self, host, model):
        self.host = host
        self.model = model
        self.settled = 0

    async def turn(self, number):
        if number % 100 == 99:
            await self.host.new_session()
        elif number % 40 == 39:
            await self.host.reload()
        if number % 20 == 10:
            await self.aborted()
        else:
            await self.said(number)
        self.model.requests.clear()

    async def said(self, number):
        if number % 10 == 5:
            self.model.answer(Error(message="cannot be served", retryable=False))
        else:
            self.model.answer([asks("bash", command="true &"), asks("read", path="a.txt")], "done")
        await self.prompt("go on")

    async def aborted(self):
        reached = asyncio.Event()

        async def hang(_request):
            reached.set()
            await asyncio.Event().wait()

        self.model.answer(hang)
        prompt = asyncio.ensure_future(self.prompt("wait"))
        await reached.wait()
        await self.host.session.abort()
        await prompt

    async def prompt(self, text):
        names = [event.hook_name async for event in self.host.session.prompt(text)]
        self.settled += names.count("agent_settled")


def resident():
    """Bytes of memory in use by this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def held():
    """What a turn could leave behind: descriptors, threads, tasks, children."""
    gc.collect()
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return (
        len(list(Path("/proc/self/fd").iterdir())),
        threading.active_count(),
        len(asyncio.all_tasks()),
        children,
    )


async def turns(tmp_path, *, warm, count):
    """What is held and how much memory is in use after ``warm`` turns, and after ``count`` more."""
    home, project = tmp_path / "home", tmp_path / "project"
    (home / "extensions").mkdir(parents=True)
    (home / "extensions" / "waits.py").write_text(EXTENSION)
    project.mkdir()
    (project / "a.txt").write_text("text\n")
    model = ScriptedModel()

    def before_start(host):
        host.session.choose(model.models()[0], "off")

    config = HostConfig(home=home, entry_point_group="nobody.extensions")
    options = HostOptions(session=NewSession())
    async with Host.open(
        project, config=config, options=options, providers=(model,), before_start=before_start
    ) as host:
        run = Run(host, model)
        for number in range(warm):
            await run.turn(number)
        first = held(), resident()
        for number in range(warm, warm + count):
            await run.turn(number)
        assert run.settled == warm + count
        return first, (held(), resident())


async def test_turns_of_every_kind_leave_nothing_behind(tmp_path):
    (before, _), (after, _) = await turns(tmp_path, warm=20, count=60)
    assert after == before


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_two_thousand_turns_leave_nothing_behind_and_need_no_more_memory(tmp_path):
    (before, memory), (after, later) = await turns(tmp_path, warm=200, count=2000)
    print(f"memory after 200 turns {memory >> 20} MiB, after 2,200 {later >> 20} MiB; held {before}, {after}")
    assert after == before
    assert later - memory < 16 << 20
