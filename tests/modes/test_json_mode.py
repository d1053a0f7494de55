"""JSON mode: every line an object, every object of the session's stream."""

import io
import json

import pytest

from pihost.modes.json_mode import JsonMode
from pihost.modes.prompts import Prompt
from pihost.session.stream import STREAM_EVENTS

SHOWN = {
    *("agent_start", "agent_end", "agent_settled", "turn_start", "turn_end"),
    *("message_start", "message_update", "message_end"),
    *("tool_execution_start", "tool_execution_update", "tool_execution_end"),
    *("session_info_changed", "model_select", "thinking_level_select"),
    *("extension_error", "tool_blocked", "trust_refused", "retry"),
    *("session_compact", "session_compact_failed", "command_output"),
}
FLAKY = """
from pihost.models import (
    AssistantMessage, Done, Error, Model, Start, TextContent, TextDelta, Usage,
)
FINE = AssistantMessage(content=[TextContent(text="fine")])
class Flaky:
    id = "flaky"
    calls = 0
    def models(self):
        return [Model(provider="flaky", id="one")]
    async def stream(self, request, hooks):
        await hooks.before_headers({"authorization": "sk-secret"})
        await hooks.before_request({"key": "sk-secret"})
        self.calls += 1
        if self.calls == 1:
            yield Error(message="busy", status=429, retryable=True)
            return
        yield Start()
        yield TextDelta(index=0, text="fine")
        yield Done(stop_reason="stop", usage=Usage(), message=FINE)
def setup(api):
    api.register_native_provider(Flaky())
"""


@pytest.fixture
def lines(opened):
    """Run prompts in json mode: the exit code and the objects that were printed."""

    async def run(*texts, **options):
        out = io.BytesIO()
        mode = JsonMode(out)
        async with opened(mode, **options) as host:
            code = await mode.run(host, [Prompt(text=text) for text in texts])
        return code, [json.loads(line) for line in out.getvalue().splitlines()]

    return run


def types(events):
    return [event["type"] for event in events]


async def test_the_header_comes_first_and_the_settling_last(lines, project):
    code, (header, *events) = await lines("ls")
    assert code == 0
    assert (header["type"], header["cwd"]) == ("session", str(project))
    assert (types(events)[0], types(events)[-1]) == ("agent_start", "agent_settled")
    assert set(types(events)) <= SHOWN


def test_the_events_of_the_stream_are_exactly_these():
    assert STREAM_EVENTS == SHOWN


async def test_an_update_carries_what_came_and_not_the_whole_message(lines):
    _code, events = await lines("ls")
    updates = [event for event in events if event["type"] == "message_update"]
    assert updates
    assert all("delta" in event and "message" not in event for event in updates)
    assert not any("delta" in event for event in events if event["type"] != "message_update")


async def test_retries_are_shown_and_payloads_and_keys_are_not(lines, extend):
    extend("flaky", FLAKY)
    code, events = await lines("hello", model="flaky/one")
    assert code == 0
    (retry,) = [event for event in events if event["type"] == "retry"]
    assert retry["error_message"] == "busy"
    assert "sk-secret" not in json.dumps(events)


async def test_the_first_prompt_that_fails_ends_the_run(lines):
    code, events = await lines("read missing.txt", "ls")
    assert code == 1
    assert types(events).count("agent_settled") == 1


async def test_a_command_that_fails_fails_the_run(lines, extend):
    extend("bad", "def setup(api): api.register_command('bad', handler=lambda a, c: 1 / 0)")
    code, events = await lines("/bad")
    assert code == 1
    assert types(events) == ["session", "extension_error", "agent_settled"]


async def test_faults_of_the_start_follow_the_header_and_those_of_the_end_come_last(lines, extend):
    names = ("session_start", "session_shutdown")
    extend("failing", "def setup(api):\n" + "".join(f" api.on('{n}', lambda e, c: 1 / 0)\n" for n in names))
    _code, events = await lines("ls")
    assert types(events)[1] == types(events)[-1] == "extension_error"
    assert [event["event"] for event in (events[1], events[-1])] == list(names)


async def test_another_session_in_the_place_of_the_first_is_told_by_its_header(lines):
    code, events = await lines("/new", "ls")
    assert code == 0
    assert types(events)[:2] == ["session", "session"]
    assert events[0]["id"] != events[1]["id"]
    assert types(events).count("session") == 2


async def test_an_untrusted_project_is_an_event(lines, project):
    (project / ".pihost" / "extensions").mkdir(parents=True)
    (project / ".pihost" / "extensions" / "mine.py").write_text("def setup(api): ...")
    _code, events = await lines("ls")
    assert types(events)[1] == "trust_refused"


async def test_what_an_extension_prints_is_no_line_of_the_stream(lines, extend, capfd):
    extend("loud", "print('loading')\ndef setup(api): print('in setup')")
    await lines("ls")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    "details", ["object()", "{(1, 2): 3}", "'\\udc80'", "2 ** 80", "{1, 2}", "float('nan')", "b'x'"]
)
async def test_details_that_have_no_json_form_are_still_a_line(lines, extend, details):
    extend(
        "odd",
        "from pihost.events import ToolResultPatch\n"
        f"def setup(api): api.on('tool_result', lambda e, c: ToolResultPatch(details={details}))",
    )
    code, events = await lines("ls")
    assert code == 0
    (end,) = [event for event in events if event["type"] == "tool_execution_end"]
    assert end["result"]["content"][0]["text"] == "README.md"
    assert end["result"]["details"] is not None or details == "float('nan')"


@pytest.mark.parametrize(
    "making", ["LOOP = []\nLOOP.append(LOOP)", "LOOP = []\nfor _ in range(5000): LOOP = [LOOP]"]
)
async def test_details_nested_without_end_are_still_a_line(lines, extend, making):
    extend(
        "odd",
        f"from pihost.events import ToolResultPatch\n{making}\n"
        "def setup(api): api.on('tool_result', lambda e, c: ToolResultPatch(details=LOOP))",
    )
    code, events = await lines("ls")
    assert code == 0
    assert "tool_execution_end" in types(events)


async def test_a_new_name_of_the_session_has_its_field_as_on_the_page(lines, extend):
    extend("named", "def setup(api): api.on('agent_start', lambda e, c: api.set_session_name('a day'))")
    _code, events = await lines("ls")
    assert {"type": "session_info_changed", "name": "a day"} in events
