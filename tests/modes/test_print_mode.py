"""Print mode: answers on stdout, everything else besides."""

import io

import pytest

from pihost.modes.print_mode import PrintMode
from pihost.modes.prompts import Prompt


class Said(list):
    def __call__(self, kind, message):
        self.append((kind, message))


@pytest.fixture
def printed(opened):
    """Run prompts in print mode: exit code, stdout, what was said besides."""

    async def run(*texts):
        out, said = io.StringIO(), Said()
        mode = PrintMode(out, said)
        async with opened(mode) as host:
            code = await mode.run(host, [Prompt(text=text) for text in texts])
        return code, out.getvalue(), said

    return run


async def test_the_answer_is_all_there_is_on_stdout(printed):
    assert await printed("read README.md") == (0, "# A project\n", [])


async def test_each_prompt_has_its_answer(printed):
    assert await printed("ls", "read README.md") == (0, "README.md\n# A project\n", [])


async def test_the_first_prompt_that_fails_ends_the_run(printed):
    code, out, said = await printed("read missing.txt", "write never.txt: x", "ls")
    assert code == 1
    assert "README.md" not in out
    assert said[-1][0] == "error"


async def test_faults_are_told_after_the_answer_they_belong_to(printed, extend, project):
    extend("failing", "def setup(api): api.on('agent_start', lambda e, c: 1 / 0)")
    code, out, said = await printed("ls")
    assert (code, out) == (0, "README.md\n")
    message = "Extension 'failing' failed in agent_start: ZeroDivisionError: division by zero"
    assert said == [("warning", message)]


async def test_a_block_is_told_with_the_extension_that_blocked(printed, extend):
    extend(
        "guard",
        "from pihost.events import ToolCallResult\n"
        "def setup(api): api.on('tool_call', lambda e, c: ToolCallResult(block=True, reason='no'))",
    )
    code, _out, said = await printed("ls")
    assert code == 1
    assert said[0] == ("warning", "Extension 'guard' blocked ls: no")


@pytest.mark.parametrize("event", ["session_start", "session_shutdown"])
async def test_faults_at_the_start_and_at_the_end_are_told_once(printed, extend, event):
    extend("failing", f"def setup(api): api.on('{event}', lambda e, c: 1 / 0)")
    code, _out, said = await printed("ls")
    assert code == 0
    assert [kind for kind, message in said if event in message] == ["warning"]


async def test_a_run_that_an_extension_aborts_fails(printed, extend):
    extend("aborter", "def setup(api): api.on('turn_start', lambda e, c: c.abort())")
    code, _out, said = await printed("ls")
    assert code == 1
    assert said[-1][0] == "error"


async def test_a_command_that_fails_fails_the_run(printed, extend):
    extend("bad", "def setup(api): api.register_command('bad', handler=lambda a, c: 1 / 0)")
    code, out, said = await printed("/bad", "ls")
    assert (code, out) == (1, "")
    assert said[-1] == ("error", "the command bad failed")


async def test_a_command_that_works_says_nothing(printed, extend):
    extend("good", "def setup(api): api.register_command('good', handler=lambda a, c: None)")
    assert await printed("/good") == (0, "", [])


async def test_an_extension_that_asks_for_the_end_is_heard_between_prompts(printed, extend):
    extend("ender", "def setup(api): api.on('agent_end', lambda e, c: c.shutdown())")
    assert await printed("ls", "read README.md") == (0, "README.md\n", [])


async def test_an_answer_that_cannot_be_written_ends_the_session_in_order(opened, extend, project):
    extend(
        "ender",
        "from pathlib import Path\n"
        "def setup(api): api.on('session_shutdown', lambda e, c: (c.cwd / 'ended').touch())",
    )

    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    mode = PrintMode(Closed(), Said())
    with pytest.raises(BrokenPipeError):
        async with opened(mode) as host:
            await mode.run(host, [Prompt(text="ls")])
    assert (project / "ended").exists()
