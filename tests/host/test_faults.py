"""What extensions do wrong: isolated, told once, in order, and kept."""

import pytest

from pihost.diagnostics import has_errors
from pihost.host import StartRefusedError

FAILING = "def setup(api):\n api.on('{event}', lambda event, ctx: 1 / 0)"


def errors(host):
    return [entry.data for entry in host.session.entries if getattr(entry, "kind", "") == "extension_error"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import no_such_module", "no_such_module"),
        ("raise SystemExit(0)", "SystemExit"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("def broken(:", "SyntaxError"),
        ("x = 1", "defines neither setup() nor any hook implementation"),
        ("setup = 5", "setup"),
        ("def setup(api, extra): ...", "extra"),
        ("def setup(api): api.send_message(None)", "send_message"),
        ("from pihost import hookimpl\n@hookimpl\ndef tool_cal(event): ...", "tool_call"),
    ],
)
async def test_a_broken_extension_is_one_error_and_the_healthy_one_works(place, answer, code, expected):
    place.extend("global", "broken", code)
    place.extend("global", "healthy", answer("healthy"))
    async with place.open() as host:
        (fault,) = host.diagnostics
        result = await host.call_tool("ls", {})
        assert [bound.extension.id for bound in host.extensions] == ["healthy"]
    assert (fault.level, fault.kind, fault.source) == ("error", "load", "broken")
    assert expected in fault.message
    assert fault.hint == 'Start without extensions using "acme -ne".'
    assert result.content[-1].text == "healthy"


async def test_a_start_with_errors_is_refused_and_no_session_event_is_fired(place):
    place.extend("global", "broken", "1/0")
    place.extend(
        "global", "life", "def setup(api):\n api.on('session_start', lambda e, c: note(e.hook_name))"
    )
    with pytest.raises(StartRefusedError, match="broken"):
        async with place.open(before_start=lambda host: host.refuse_errors()):
            pytest.fail("it started")
    assert place.notes == []


async def test_the_user_may_say_that_it_goes_on_with_what_loaded(place, monkeypatch):
    monkeypatch.setenv("ACME_ON_EXTENSION_ERROR", "continue")
    place.extend("global", "broken", "1/0")
    async with place.open(before_start=lambda host: host.refuse_errors()) as host:
        assert has_errors(host.diagnostics)


async def test_a_failed_load_is_in_the_stream_and_in_the_session_too(place):
    place.extend("global", "broken", "1/0")
    seen = []
    async with place.open(before_start=lambda host: host.subscribe(seen.append)) as host:
        assert [data["extension"] for data in errors(host)] == ["broken"]
    assert [(event.hook_name, event.event) for event in seen] == [("extension_error", "load")]


async def test_a_conflict_names_both_and_the_earlier_one_wins(place):
    maker = "def setup(api):\n api.register_command('go', handler=lambda a, c: note('{}'))"
    place.extend("global", "a", maker.format("a"))
    place.extend("global", "b", maker.format("b"))
    async with place.open() as host:
        (fault,) = host.diagnostics
        for command in ("/go", "/b:go"):
            async for _event in host.session.prompt(command):
                pass
    assert (fault.level, fault.kind) == ("error", "conflict")
    assert "'a'" in fault.message
    assert "'b'" in fault.message
    assert place.notes == ["a", "b"]


async def test_a_registration_that_fails_at_bind_names_the_extension_and_how_to_do_without(place):
    place.extend("global", "cloud", "def setup(api): api.register_provider('cloud', {'nonsense': 1})")
    async with place.open() as host:
        (fault,) = [one for one in host.diagnostics if one.kind == "registration"]
    assert fault.level == "error"
    assert "--disable cloud" in fault.hint


async def test_diagnostics_come_in_startup_order_once_each(place):
    maker = "def setup(api):\n api.register_flag('loud', type='boolean')"
    place.extend("global", "a", maker)
    place.extend("global", "b", maker)
    place.extend("global", "broken", "1/0")
    place.extend("local", "mine")
    place.settings("nonsense = 1")
    async with place.open(disabled=("nobody",), extension_paths=("missing.py", "missing.py")) as host:
        kinds = [one.kind for one in host.diagnostics]
        messages = [one.message for one in host.diagnostics]
    assert kinds == ["trust", "option", "settings", "discovery", "load", "conflict"]
    assert len(messages) == len(set(messages))


async def test_a_handler_that_fails_reaches_listener_stream_and_session_and_not_the_model(place, run):
    place.extend("global", "failing", FAILING.format(event="agent_start"))
    heard = []
    async with place.open() as host:
        remove = host.on_error(heard.append)
        events = await run(host, "ls")
        assert [(one.extension, one.event) for one in heard] == [("failing", "agent_start")]
        assert "extension_error" in [event.hook_name for event in events]
        assert [data["event"] for data in errors(host)] == ["agent_start"]
        assert all("ZeroDivisionError" not in str(message) for message in host.session.messages)
        remove()
        remove()
        await run(host, "ls")
    assert len(heard) == 1


async def test_a_listener_that_fails_keeps_nobody_from_hearing(place, caplog):
    place.extend("global", "failing", FAILING.format(event="input"))
    heard = []
    async with place.open() as host:
        host.on_error(lambda error: 1 / 0)
        host.on_error(heard.append)
        async for _event in host.session.prompt("ls"):
            pass
    assert len(heard) == 1
    assert "A listener failed" in caplog.text


@pytest.mark.parametrize("event", ["session_start", "session_shutdown"])
async def test_faults_at_the_very_start_and_end_are_seen_by_who_subscribes_before_the_start(place, event):
    place.extend("global", "failing", FAILING.format(event=event))
    seen = []
    async with place.open(before_start=lambda host: host.subscribe(seen.append)):
        pass
    assert [(one.hook_name, one.event) for one in seen] == [("extension_error", event)]


async def test_a_block_is_in_the_stream_with_the_extension_that_blocked(place, run):
    place.extend(
        "global",
        "guard",
        "from pihost.events import ToolCallResult\n"
        "def setup(api): api.on('tool_call', lambda e, c: ToolCallResult(block=True, reason='no'))",
    )
    async with place.open() as host:
        events = await run(host, "ls")
        (blocked,) = [event for event in events if event.hook_name == "tool_blocked"]
        kept = [entry for entry in host.session.entries if getattr(entry, "kind", "") == "tool_blocked"]
    assert (blocked.extension, blocked.tool_name, blocked.reason) == ("guard", "ls", "no")
    assert len(kept) == 1


async def test_sys_exit_in_a_hook_is_that_extensions_error(place, run):
    place.extend("global", "leaver", "import sys\ndef setup(api): api.on('input', lambda e, c: sys.exit(2))")
    async with place.open() as host:
        events = await run(host, "ls")
    assert "extension_error" in [event.hook_name for event in events]
    assert events[-1].hook_name == "agent_settled"
