"""The tools that run programs, beside the bare programs."""

import asyncio
import subprocess
from types import SimpleNamespace

import pytest

from pihost.content import ToolCall
from pihost.context import AbortSignal
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.calling.pipeline import call_tool
from pihost.tools.registry import create_tool_definition
from pihost.tools.search.ripgrep import COMMON_OPTIONS, find_ripgrep

pytestmark = pytest.mark.bench


@pytest.fixture
def calls():
    """Make a function that calls a tool in a directory so many times, in one event loop for all."""
    with asyncio.Runner() as runner:

        def calls(name, directory, *, times=1, **arguments):
            tools = {name: create_tool_definition(name, directory)}
            sent = ToolCall(id="c", name=name, arguments=arguments)

            async def repeat():
                ctx = ToolCallContext(SimpleNamespace(cwd=directory, signal=AbortSignal()))
                for _ in range(times):
                    result = await call_tool(tools, sent, ctx=ctx)
                    assert not result.is_error

            return lambda: runner.run(repeat())

        yield calls


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """20,000 files in 200 directories."""
    root = tmp_path_factory.mktemp("tree")
    for number in range(200):
        directory = root / f"d{number}" / "sub"
        directory.mkdir(parents=True)
        for file in range(100):
            (directory / f"f{file}.py").write_text(f"line {file}\nneedle{number} in a haystack\n" * 10)
    return root


def bare_ripgrep(directory, *arguments):
    argv = [str(find_ripgrep()), *COMMON_OPTIONS, *arguments]
    return lambda: subprocess.run(argv, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True)


def test_bash_round_trip(calls, side_by_side, tmp_path):
    def floor():
        for _ in range(200):
            subprocess.run(["bash", "-c", "true"])

    side_by_side(
        "200 times bash true", calls("bash", tmp_path, times=200, command="true"), floor, goal=1.4, repeat=3
    )


@pytest.mark.parametrize("pattern", ["*.py", "d1*/**/f1.py", "nothing"])
def test_find(calls, side_by_side, tree, pattern):
    ours = calls("find", tree, pattern=pattern)
    side_by_side(f"find {pattern}", ours, bare_ripgrep(tree, "--files", "--null"), goal=1.15)


@pytest.mark.parametrize("pattern", ["needle19 ", "nothing"])
def test_grep(calls, side_by_side, tree, pattern):
    ours = calls("grep", tree, pattern=pattern, limit=10_000)
    floor = bare_ripgrep(tree, "--json", "--crlf", "--context=0", f"--regexp={pattern}", "./")
    side_by_side(f"grep {pattern}", ours, floor, goal=1.15)
