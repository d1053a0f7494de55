"""Watching handlers at work in a live session: their times, and a line for every call."""

import pytest

from pihost.config import HostConfig
from pihost.host import HostReport

WATCH = "def setup(api): api.on('agent_start', lambda e, c: note('ran'))"


async def test_the_report_has_state_and_times(place, run):
    place.settings("hook_timing = true")
    place.extend("global", "watch", WATCH)
    async with place.open() as host:
        await run(host, "ls")
        await run(host, "ls")
        report = host.report()
    assert isinstance(report, HostReport)
    (row,) = report.extensions
    (took,) = row.handler_times
    assert (report.hook_timing, row.state, took.hook, took.count) == (True, "bound", "agent_start", 2)
    assert "agent_start took" in row.cells[-1]
    assert host.diagnostics == ()


LATE = """
def setup(api):
    @api.tool
    def early(text: str) -> str:
        '''Give it back.'''
        return text

    @api.on("session_start")
    def start(event, ctx):
        api.unregister_tool("early")
        api.tool(early, name="late")
        api.register_command("later", handler=print)
        api.register_flag("latest", type="string")
        api.on("agent_start", print)
"""


async def test_the_report_and_the_listing_show_what_is_registered_now(place, run):
    place.extend("global", "acme", LATE)
    async with place.open() as host:
        (row,) = host.report().extensions
        listed = str(await run(host, "/extensions"))
    assert (row.state, row.tools, row.commands, row.flags) == ("bound", ("late",), ("later",), ("latest",))
    assert set(row.hooks) == {"session_start", "agent_start"}
    assert "tools: late; commands: later" in listed


async def test_no_times_unless_asked_for(place, run):
    place.extend("global", "watch", WATCH)
    async with place.open() as host:
        await run(host, "ls")
        report = host.report()
        assert host.runner.has_handlers("agent_start")
    assert (report.hook_timing, report.extensions[0].handler_times) == (False, ())
    assert (report.cwd, report.trust.trusted) == (place.cwd, True)


async def test_the_times_begin_anew_with_a_reload(place, run):
    place.settings("hook_timing = true")
    place.extend("global", "watch", WATCH)
    async with place.open() as host:
        await run(host, "ls")
        await host.reload()
        assert host.report().extensions[0].handler_times == ()


async def test_the_environment_asks_for_a_line_for_every_call(place, run, monkeypatch, capsys):
    monkeypatch.setenv("ACME_DEBUG", "hooks")
    place.extend("global", "watch", WATCH)
    async with place.open() as host:
        await run(host, "ls")
    err = capsys.readouterr().err
    assert err == "hooks: agent_start → watch (setup.<locals>.<lambda>) → None → passes on\n"


@pytest.mark.parametrize("word", ["hook", "hooks,hook"])
async def test_a_word_that_asks_for_nothing_is_a_warning(place, monkeypatch, word):
    monkeypatch.setenv("ACME_DEBUG", word)
    async with place.open() as host:
        (warning,) = host.diagnostics
    assert (warning.level, warning.hint) == ("warning", "Did you mean 'hooks'?")
    assert "ACME_DEBUG asks for 'hook'; it knows hooks" in warning.message


def test_nobody_watches_where_nobody_asks():
    from pihost.host._watching import observer_for

    assert observer_for(HostConfig(env_prefix="NOBODY"), timing=False) is None
