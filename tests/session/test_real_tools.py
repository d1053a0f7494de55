"""Whole ways through a session with the tools that ship: files, shell, search."""

import asyncio
import time

import pytest

from pihost.session.store import SessionStore
from pihost.tools.registry import create_all_tool_definitions


@pytest.fixture
async def shipped(make_world, tmp_path):
    """A recipe session in a directory of its own, with the real tools."""
    cwd = tmp_path / "project"
    cwd.mkdir()
    store = SessionStore.create(tmp_path / "sessions", cwd)
    world = await make_world(recipe=True, store=store, cwd=cwd)
    world.tools.update(create_all_tool_definitions(cwd))
    await world.session.start()
    return world


async def test_a_recipe_writes_edits_finds_and_reads(shipped):
    await shipped.say(
        "write src/a.py: def main(): pass\n"
        "edit src/a.py: pass => return 1\n"
        "find **/*.py\n"
        'grep "def main" src\n'
        "ls src\n"
        "read src/a.py\n"
        "bash: cat src/a.py | wc -w"
    )
    answer = shipped.session.messages[-1]
    assert answer.stop_reason == "stop"
    assert (shipped.session.parts.cwd / "src" / "a.py").read_text() == "def main(): return 1"
    assert "src/a.py" in answer.text
    assert answer.text.rstrip().endswith("4")


async def test_a_failing_command_stops_the_recipe_with_its_output(shipped):
    await shipped.say("bash: echo why >&2; exit 3\nls")
    answer = shipped.session.messages[-1]
    assert answer.stop_reason == "error"
    assert "why" in answer.text
    assert "Command exited with code 3" in answer.text
    assert answer.text.endswith("Not run:\n  ls")


async def test_commands_see_the_session_and_no_key(shipped):
    await shipped.say(
        'bash: echo "$PIHOST_SESSION_ID $PIHOST_MODEL"; test -f "$PIHOST_SESSION_FILE" && echo there'
    )
    assert shipped.session.messages[-1].text.split() == [shipped.session.id, "recipe", "there"]


async def test_abort_ends_a_command_and_keeps_the_session(shipped):
    prompt = asyncio.create_task(shipped.say("bash: echo started; sleep 60\nls"))
    await shipped.until("tool_execution_update")
    before = time.monotonic()
    await shipped.session.abort()
    await prompt
    assert time.monotonic() - before < 10
    result = shipped.session.messages[2]
    assert result.is_error
    assert shipped.session.messages[-1].role == "tool_result"


async def test_the_users_own_command_really_runs(shipped):
    result = await shipped.session.user_bash("echo one two | wc -w")
    assert result.text.strip() == "2"


async def test_abort_ends_the_users_own_command(shipped, tmp_path):
    command = asyncio.create_task(shipped.session.user_bash("touch started; sleep 60"))
    async with asyncio.timeout(20):
        while not (tmp_path / "project" / "started").exists():  # noqa: ASYNC110 -- nothing tells
            await asyncio.sleep(0.02)
        await shipped.session.abort()
        result = await command
    assert result.is_error
    assert "aborted" in result.text


async def test_what_happened_is_in_the_file(shipped, tmp_path):
    await shipped.say("write a.txt: hello")
    file = shipped.session.file
    texts = shipped.texts()
    await shipped.session.shutdown()
    with SessionStore.open(file, tmp_path) as again:
        assert [message.text for message in again.messages()] == texts
        assert again.warnings == ()
