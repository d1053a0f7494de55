"""Interactive mode, with keys from a pipe."""

import asyncio
import os
import signal

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from pihost.modes.interactive import InteractiveMode
from pihost.modes.prompts import Prompt


@pytest.fixture
def talk(opened, capsys):
    """Type at a host: the exit code and what was shown."""

    async def run(typed, *opening, meanwhile=None):
        mode = InteractiveMode()
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text(typed)
            async with opened(mode, mode="interactive") as host:
                helper = asyncio.create_task(meanwhile()) if meanwhile else None
                code = await mode.run(host, [Prompt(text=text) for text in opening])
                if helper:
                    await helper
                entries = host.session.entries
        return code, capsys.readouterr().out, entries

    return run


async def test_a_prompt_is_answered_and_quit_leaves(talk):
    code, out, _entries = await talk("read README.md\r/quit\r")
    assert code == 0
    assert "→ read {'path': 'README.md'}" in out
    assert "# A project" in out


@pytest.mark.parametrize("leaving", ["\x04", "\x03\x03", "/exit\r", "\r\r/quit\r"])
async def test_ways_to_leave(talk, leaving):
    assert (await talk(leaving))[0] == 0


async def test_one_interruption_at_the_prompt_does_not_leave(talk):
    _code, out, _entries = await talk("\x03ls\r\x03/quit\r")
    assert out.count("Press Ctrl-C again to leave.") == 2
    assert "README.md" in out


async def test_what_is_said_first_is_said_before_the_user_is_asked(talk):
    assert "README.md" in (await talk("/quit\r", "ls"))[1]


async def test_a_command_of_the_users_own_is_shown_and_kept(talk):
    _code, out, entries = await talk("!echo hi\r!!echo hidden\r!\r/quit\r")
    assert "hi\n" in out
    assert "hidden\n" in out
    kinds = [entry.type for entry in entries if "user_bash" in str(entry)]
    assert kinds == ["custom_message", "custom"]


async def test_an_interruption_ends_what_runs_and_not_the_program(talk, project):
    async def interrupt():
        while not (project / "begun").exists():  # noqa: ASYNC110 -- a file tells
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    _code, out, _entries = await talk("!touch begun; sleep 60\rls\r/quit\r", meanwhile=interrupt)
    assert "(interrupted)" in out
    assert "README.md" in out
    assert signal.getsignal(signal.SIGINT) is before


async def test_an_interruption_ends_the_run(talk, project):
    async def interrupt():
        while not (project / "begun").exists():  # noqa: ASYNC110 -- a file tells
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    _code, out, _entries = await talk("bash: touch begun; sleep 60\rls\r/quit\r", meanwhile=interrupt)
    assert "aborted" in out
    assert "README.md" in out


async def test_a_fault_is_told_where_it_happens_and_the_conversation_goes_on(talk, extend):
    names = ("session_start", "agent_start", "session_shutdown")
    extend("failing", "def setup(api):\n" + "".join(f" api.on('{n}', lambda e, c: 1 / 0)\n" for n in names))
    _code, out, _entries = await talk("ls\r/quit\r")
    assert [out.count(f"Warning: Extension 'failing' failed in {name}") for name in names] == [1, 1, 1]


async def test_control_characters_of_an_answer_are_shown(talk, project):
    (project / "evil.txt").write_text("a\x1b]0;title\x07b\n")
    _code, out, _entries = await talk("read evil.txt\r/quit\r")
    assert "\x1b" not in out
    assert "\\x1b]0;title" in out


async def test_an_extension_may_end_it(talk, extend):
    extend("ender", "def setup(api): api.register_command('bye', handler=lambda a, c: c.shutdown())")
    assert (await talk("/bye\r"))[0] == 0


async def test_the_extensions_are_listed_with_their_state_and_times(talk, extend, tmp_path):
    extend("watch", "def setup(api): api.on('agent_start', lambda e, c: None)")
    (tmp_path / "home" / "settings.toml").write_text("hook_timing = true\n")
    _code, out, _entries = await talk("ls\r/extensions\r/quit\r")
    row = next(line for line in out.splitlines() if line.startswith("watch"))
    assert row.split()[:3] == ["watch", "global", "bound"]
    assert "agent_start took" in " ".join(out.split())


async def test_where_there_are_no_extensions_it_is_said(talk):
    assert "No extensions. A file put into" in (await talk("/extensions\r/quit\r"))[1]
