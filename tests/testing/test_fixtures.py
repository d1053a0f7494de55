"""What an author's test can do with the fixtures."""

import importlib
import os
import sys
from pathlib import Path

import pytest

from pihost.events import ToolCallEvent, ToolCallResult, ToolExecutionEndEvent
from pihost.testing import ExtensionFailedError, asks

GUARD = """
from pihost import hookimpl
from pihost.events import ToolCallResult

@hookimpl
def tool_call(event, ctx):
    if "rm" in event.input.get("command", ""):
        return ToolCallResult(block=True, reason="not here")
"""
ASKER = """
def setup(api):
    async def ask(arguments, ctx):
        if await ctx.ui.confirm("Sure?", arguments):
            ctx.ui.notify(f"did {arguments}")
    api.register_command("ask", handler=ask)
"""
BROKEN_HANDLER = """
def setup(api):
    @api.on("agent_start")
    def fail(event, ctx):
        raise ValueError("no")
"""


async def test_a_conversation_goes_through_the_extension(pihost_host, write_extension, scripted_model):
    scripted_model.answer(asks("bash", command="rm -r x"), "I could not.")
    async with pihost_host(write_extension(GUARD)) as bench:
        await bench.prompt("tidy up")
        assert bench.results[0].is_error
        assert "not here" in bench.results[0].text
        assert bench.answer == "I could not."
    assert scripted_model.is_done


async def test_what_happened_is_recorded(pihost_host, write_extension, hook_recorder):
    async with pihost_host(write_extension(GUARD)) as bench:
        await bench.call_tool("bash", command="echo hi")
    assert [event.input for event in hook_recorder.of(ToolCallEvent)] == [{"command": "echo hi"}]
    assert [event.is_error for event in hook_recorder.of(ToolExecutionEndEvent)] == [False]
    assert hook_recorder.names[0] == "session_start"
    assert hook_recorder.names[-1] == "session_shutdown"


async def test_recording_goes_on_after_a_reload(pihost_host, write_extension, hook_recorder):
    async with pihost_host(write_extension(GUARD)) as bench:
        assert await bench.reload() == ()
        await bench.call_tool("bash", command="echo hi")
    assert len(hook_recorder.of(ToolCallEvent)) == 1


async def test_after_a_reload_each_event_of_the_stream_is_remembered_once(
    pihost_host, write_extension, hook_recorder, scripted_model
):
    scripted_model.answer("hi")
    async with pihost_host(write_extension(GUARD)) as bench:
        await bench.reload()
        told = await bench.prompt("hello")
    assert hook_recorder.stream == told


async def test_dialogs_reach_the_user_of_the_test(pihost_host, write_extension, fake_ui):
    fake_ui.answer(True)
    async with pihost_host(write_extension(ASKER), ui=fake_ui) as bench:
        await bench.prompt("/ask one")
        await bench.prompt("/ask two")
    assert [(one.kind, one.title, one.detail) for one in fake_ui.dialogs] == [
        ("confirm", "Sure?", "one"),
        ("confirm", "Sure?", "two"),
    ]
    assert fake_ui.notices == [("info", "did one")]


async def test_a_handler_that_fails_fails_the_test(pihost_host, write_extension, scripted_model):
    scripted_model.answer("hello")
    with pytest.raises(ExtensionFailedError, match="'extension' failed in agent_start: ValueError: no"):
        async with pihost_host(write_extension(BROKEN_HANDLER)) as bench:
            await bench.prompt("hi")


async def test_unless_the_test_expects_it(pihost_host, write_extension, scripted_model, hook_recorder):
    scripted_model.answer("hello")
    async with pihost_host(write_extension(BROKEN_HANDLER), expect_errors=True) as bench:
        await bench.prompt("hi")
    assert [error.event for error in hook_recorder.errors] == ["agent_start"]


async def test_an_extension_that_does_not_load_fails_the_test(pihost_host, write_extension):
    with pytest.raises(ExtensionFailedError, match="nowhere"):
        async with pihost_host(write_extension("import nowhere")):
            pytest.fail("it must not open")


async def test_one_extension_is_loaded_without_a_session(load_extension, write_extension):
    loaded = await load_extension(write_extension(GUARD))
    event = ToolCallEvent(tool_call_id="1", tool_name="bash", input={"command": "rm x"})
    assert await loaded.runner.emit(event) == ToolCallResult(block=True, reason="not here")
    assert loaded.extension.handlers == ("tool_call",)


async def test_one_that_does_not_load_says_why(load_extension, write_extension):
    with pytest.raises(ExtensionFailedError, match="defines neither setup"):
        await load_extension(write_extension("x = 1"))


MODULE = """
from pihost import hookimpl

@hookimpl
def session_start(event):
    pass

def setup(api):
    api.register_flag("loud", type="boolean")
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of an author's, importable."""
    (tmp_path / "acme_note.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("acme_note")
    del sys.modules["acme_note"]


@pytest.mark.parametrize("form", ["name", "module", "attribute", "function"])
async def test_an_extension_is_given_as_an_entry_point_would_name_it(load_extension, module, form):
    given = {"name": "acme_note", "module": module, "attribute": "acme_note:setup", "function": module.setup}
    loaded = await load_extension(given[form])
    assert loaded.extension.id == "acme-note"
    assert list(loaded.extension.flags) == ["loud"]


async def test_what_no_entry_point_can_name_is_refused(load_extension):
    with pytest.raises(TypeError, match="no entry point can name it"):
        await load_extension(lambda api: None)


async def test_no_other_extension_and_no_real_home_takes_part(
    pihost_host, write_extension, write_distribution, pihost_home
):
    write_distribution(
        "acme-other",
        entry_points={"pihost.extensions": {"other": "acme_other"}},
        files={"acme_other.py": "raise SystemExit"},
    )
    async with pihost_host(write_extension(GUARD)) as bench:
        assert [one.extension.id for one in bench.host.extensions] == ["extension"]
        assert bench.host.session.file.is_relative_to(pihost_home)
        assert Path(os.environ["PIHOST_HOME"]) == pihost_home


async def test_settings_and_options_are_given(pihost_host, write_extension):
    text = 'exclude_tools = ["bash"]'
    async with pihost_host(write_extension(GUARD), settings=text, trust_override=True) as bench:
        assert "bash" not in bench.host.session.tools
        assert bench.host.trust.trusted
