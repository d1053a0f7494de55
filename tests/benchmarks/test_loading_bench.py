"""Discovering, loading and binding 300 one-file extensions, beside importing the same files by path."""

import asyncio
import importlib.util
import os
import sys
import tracemalloc

import pytest

from pihost.config import HostConfig
from pihost.extensions import (
    ExtensionRunner,
    admit,
    create_extension_runtime,
    discover,
    load_extensions,
)
from pihost.extensions.actions import not_ready_actions, unbound_context
from pihost.settings import Settings

COUNT = 300
SOURCE = """
def hello(arguments, ctx):
    return None

def setup(api):
    api.register_command("hello{n}", handler=hello, description="Say hello")

    @api.on("session_start")
    def started(event, ctx):
        return None
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user's directory of extensions, old enough for their bytecode to be kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    directory = tmp_path / "extensions"
    directory.mkdir()
    for n in range(COUNT):
        path = directory / f"e{n:03}.py"
        path.write_text(SOURCE.format(n=n))
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return tmp_path


async def start(home):
    discovery = discover(home, config=HostConfig(), home=home, settings=Settings(), installed=False)
    admission = admit(discovery.candidates, trusted=True)
    result = await load_extensions(admission.admitted, home, create_extension_runtime(data_root=home))
    assert (len(result.extensions), result.errors) == (COUNT, ())
    runner = ExtensionRunner(result.extensions, result.runtime, cwd=home)
    runner.bind_core(not_ready_actions(), unbound_context())
    return runner


async def start_and_end(home):
    await (await start(home)).shutdown(reload=True)


def import_by_path(home):
    for path in sorted((home / "extensions").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"floor_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


@pytest.mark.bench
def test_starting_many_extensions(side_by_side, home):
    asyncio.run(start_and_end(home))  # writes the bytecode
    ratio = side_by_side(
        f"{COUNT} extensions",
        lambda: asyncio.run(start_and_end(home)),
        lambda: import_by_path(home),
        goal=2,
        repeat=15,
    )
    assert ratio > 0


@pytest.mark.bench
def test_memory_of_many_extensions(home, capsys):
    async def measure():
        await start_and_end(home)
        tracemalloc.start()
        runner = await start(home)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        await runner.shutdown(reload=True)
        return held

    each = asyncio.run(measure()) / COUNT / 1024
    with capsys.disabled():
        print(f"\n{COUNT} extensions: {each:.1f} KiB each (goal ≤ 20)", end="")
    assert each > 0
