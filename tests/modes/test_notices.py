"""Notices of extensions where nobody can be asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.modes.notices import notices_by

ROOT = Path(__file__).parents[2]
GREET = """
async def greet(arguments, ctx):
    ctx.ui.notify(f"Hello {arguments}, has_ui is {ctx.has_ui}")
    ctx.ui.notify("\\x1b[31mred\\x1b[0m\\nand more", "warning")
    ctx.ui.notify(f"sure: {await ctx.ui.confirm('Sure?', 'Really?')}", "error")

def setup(api):
    api.register_command("greet", handler=greet)

    @api.tool(description="Notify")
    async def told(ctx) -> str:
        ctx.ui.notify("from a tool")
        return "done"
"""


@pytest.fixture
def pihost(tmp_path, project, extend):
    """Run the command line with the extension above: exit code, stdout, stderr by line."""
    extend("greet", GREET)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PIHOST_HOME": str(tmp_path / "home")}

    def run(*words):
        command = [sys.executable, "-m", "pihost", *words]
        done = subprocess.run(
            command, cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr.splitlines()

    return run


SHOWN = ["Info: Hello Ada, has_ui is False", "Warning: red and more", "Error: sure: False"]


def test_a_command_that_only_notifies_is_heard_on_stderr(pihost):
    """Each notice is a line with its level; control sequences are gone, and stdout stays the answer's."""
    assert pihost("-p", "/greet Ada") == (0, "", SHOWN)


def test_in_json_mode_they_are_beside_the_lines_of_json_too(pihost):
    code, out, err = pihost("--mode", "json", "/greet Ada")
    assert (code, err) == (0, SHOWN)
    assert "Hello" not in out


def test_a_tool_called_by_itself_is_heard_as_well(pihost):
    assert pihost("tool", "told") == (0, "done\n", ["Info: from a tool"])


@pytest.mark.parametrize("message", ["", " \n", "\x1b[2J"])
def test_a_notice_of_nothing_is_no_line(message):
    said = []
    notices_by(lambda *words: said.append(words)).notify(message)
    assert said == []


def test_a_notice_that_no_stream_could_carry_is_shown_all_the_same():
    said = []
    notices_by(lambda *words: said.append(words)).notify("a\ud800b")
    assert said == [("info", "a?b")]
