"""Each command does its work and is answered by its id."""

import asyncio

import attrs
import pytest

from pihost.hooks.timing import HandlerTime
from pihost.host.listing import Row
from pihost.protocol.commands import COMMANDS
from pihost.protocol.replies import DATA, ExtensionRecord, HandlerTimeRecord

TELL = """
def setup(api):
    async def hello(args, ctx):
        ctx.ui.notify(f"hello {args}")
    api.register_command("hello", handler=hello, description="Say hello")
"""


@pytest.mark.parametrize(("told", "record"), [(Row, ExtensionRecord), (HandlerTime, HandlerTimeRecord)])
def test_a_record_has_every_field_of_what_it_stands_for(told, record):
    assert [field.name for field in attrs.fields(told)] == [field.name for field in attrs.fields(record)]


def test_every_command_says_what_its_response_carries():
    assert DATA.keys() == COMMANDS.keys()


async def test_a_prompt_is_answered_when_it_has_begun_and_its_events_follow(connected):
    async with connected() as client:
        response = await client.ask(type="prompt", text="ls")
        await client.until(type="agent_settled")
    assert response == {
        "type": "response",
        "id": "asked",
        "command": "prompt",
        "success": True,
        "data": None,
    }
    assert client.types()[:2] == ["response", "agent_start"]
    updates = [record for record in client.seen if record["type"] == "message_update"]
    assert updates
    assert all("message" not in update for update in updates)


async def test_a_prompt_during_a_run_has_to_say_how_it_is_meant(connected):
    async with connected() as client:
        await client.ask(type="prompt", text="bash: sleep 0.3")
        await client.until(type="tool_execution_start")
        refused = await client.ask(type="prompt", text="ls")
        taken = await client.ask(type="prompt", text="ls", streaming_behavior="follow_up")
        await client.until(type="agent_settled")
    assert '"streaming_behavior": "steer" or "follow_up"' in refused["error"]
    assert taken["success"] is True
    assert [r["tool_name"] for r in client.seen if r["type"] == "tool_execution_start"] == ["bash", "ls"]


@pytest.mark.parametrize("how", ["steer", "follow_up"])
async def test_what_is_said_during_a_run_reaches_it(connected, how):
    async with connected() as client:
        await client.ask(type="prompt", text="bash: sleep 0.3")
        await client.until(type="tool_execution_start")
        assert (await client.ask(type=how, text="ls"))["success"] is True
        await client.until(type="agent_settled")
    assert client.types().count("agent_settled") == 1
    assert [r["tool_name"] for r in client.seen if r["type"] == "tool_execution_start"] == ["bash", "ls"]


async def test_the_source_of_a_prompt_is_rpc(connected, extend):
    extend("source", "def setup(api): api.on('input', lambda e, c: c.ui.notify(f'{e.source} {c.has_ui}'))")
    async with connected() as client:
        client.send(type="prompt", text="ls")
        notice = await client.until(type="extension_ui_request")
        await client.until(type="agent_settled")
    assert notice["message"] == "rpc True"


async def test_an_abort_ends_the_run_and_is_answered_when_it_has_settled(connected):
    async with connected() as client:
        await client.ask(type="prompt", text="bash: sleep 30")
        await client.until(type="tool_execution_start")
        await client.ask(type="abort")
        assert (await client.ask(type="get_state"))["data"]["is_idle"] is True
    assert "agent_settled" in client.types()[:-1]


async def test_an_abort_ends_tool_calls_of_the_client_too(connected):
    async with connected() as client:
        client.send(type="call_tool", id="call", name="bash", arguments={"command": "sleep 30"})
        await client.until(type="tool_execution_start")
        client.send(type="abort", id="abort")
        response = await client.until(type="response", id="call")
    assert response["error"] == "the command was broken off"


async def test_the_state_and_the_messages(connected, project):
    async with connected() as client:
        client.send(type="prompt", text="ls")
        await client.until(type="agent_settled")
        state = (await client.ask(type="get_state"))["data"]
        messages = (await client.ask(type="get_messages"))["data"]["messages"]
    assert (state["cwd"], state["model"]["id"], state["is_idle"]) == (str(project), "recipe", True)
    assert state["message_count"] == len(messages) == 4
    assert [message["role"] for message in messages] == ["user", "assistant", "tool_result", "assistant"]


async def test_models_are_listed_and_chosen(connected):
    async with connected() as client:
        models = (await client.ask(type="get_available_models"))["data"]["models"]
        chosen = await client.ask(type="set_model", model="recipe")
        unknown = await client.ask(type="set_model", model="recipi")
    assert [(model["provider"], model["id"]) for model in models] == [("local", "recipe")]
    assert chosen["data"]["id"] == "recipe"
    assert (unknown["success"], "recipi" in unknown["error"]) == (False, True)


async def test_only_the_models_of_the_options_are_listed(connected, extend):
    extend(
        "cloud",
        "from pihost.models import Model, ProviderConfig\n"
        "def setup(api): api.register_provider('cloud', ProviderConfig(base_url='https://example.com',"
        " api='x', models=[Model(provider='cloud', id=name) for name in ('big', 'small')]))",
    )
    async with connected(models=["small", "recipe"]) as client:
        models = (await client.ask(type="get_available_models"))["data"]["models"]
    assert [model["id"] for model in models] == ["small", "recipe"]


async def test_another_thinking_level_is_an_event(connected):
    async with connected() as client:
        await client.ask(type="set_thinking_level", level="high")
        event = await client.until(type="thinking_level_select")
    assert (event["level"], event["previous_level"]) == ("high", "off")


async def test_a_shell_command_and_a_tool(connected):
    async with connected() as client:
        said = await client.ask(type="bash", command="echo out; exit 3", exclude_from_context=True)
        read = await client.ask(type="call_tool", name="read", arguments={"path": "README.md"})
        missing = await client.ask(type="call_tool", name="reed", arguments={})
        assert (await client.ask(type="get_messages"))["data"]["messages"] == []
    assert (said["data"]["is_error"], "out" in said["data"]["content"][0]["text"]) == (True, True)
    assert "# A project" in read["data"]["content"][0]["text"]
    assert (missing["success"], missing["data"]["is_error"]) == (True, True)


async def test_commands_of_extensions_are_listed_and_run(connected, extend):
    extend("tell", TELL)
    async with connected() as client:
        commands = (await client.ask(type="get_commands"))["data"]["commands"]
        client.send(type="prompt", text="/hello there")
        notice = await client.until(type="extension_ui_request")
        await client.until(type="agent_settled")
    assert {"name": "hello", "description": "Say hello", "extension": "tell"} in commands
    assert ("new", None) in [(command["name"], command["extension"]) for command in commands]
    assert notice["message"] == "hello there"


async def test_extensions_are_listed_with_the_state_they_reached(connected, extend):
    extend("tell", TELL)
    extend("broken", "1/0")
    async with connected() as client:
        data = (await client.ask(type="get_extensions"))["data"]
    rows = {row["id"]: row for row in data["extensions"]}
    assert (rows["tell"]["state"], rows["tell"]["commands"]) == ("bound", ["hello"])
    assert (rows["broken"]["state"], "ZeroDivisionError" in rows["broken"]["reason"]) == ("admitted", True)
    assert [one["level"] for one in data["diagnostics"]] == ["error"]


async def test_another_session_takes_the_place_and_says_so(connected):
    async with connected() as client:
        first = (await client.ask(type="get_state"))["data"]
        client.send(type="prompt", text="ls")
        await client.until(type="agent_settled")
        changed = await client.ask(type="new_session")
        second = (await client.ask(type="get_state"))["data"]
        back = await client.ask(type="switch_session", path=first["session_file"])
        third = (await client.ask(type="get_state"))["data"]
    assert (changed["success"], changed["data"]["cancelled"]) == (True, False)
    assert second["session_id"] != first["session_id"] == third["session_id"]
    assert (second["message_count"], third["message_count"], back["success"]) == (0, 4, True)
    headers = [record["id"] for record in client.seen if record["type"] == "session"]
    assert headers == [second["session_id"], first["session_id"]]


async def test_commands_behind_a_change_of_sessions_wait_for_it(connected):
    async with connected() as client:
        for name in ("new_session", "get_state"):
            client.send(type=name, id=name)
        state = await client.until(type="response", id="get_state")
    assert [r["id"] for r in client.seen if r["type"] == "response"] == ["new_session", "get_state"]
    assert state["data"]["session_id"] == client.host.session.id


async def test_a_fork_goes_on_with_the_branch_up_to_an_entry(connected):
    async with connected() as client:
        client.send(type="prompt", text="ls")
        await client.until(type="agent_settled")
        entry = next(entry for entry in client.host.session.entries if entry.type == "message")
        forked = await client.ask(type="fork", entry_id=entry.id, position="before")
        state = (await client.ask(type="get_state"))["data"]
        missing = await client.ask(type="fork", entry_id="none")
    assert (forked["data"]["text"], state["message_count"]) == ("ls", 0)
    assert (missing["success"], "none" in missing["error"]) == (False, True)


async def test_an_extension_that_does_not_want_it_keeps_the_session(connected, extend):
    extend(
        "keep",
        "from pihost.events import Cancel\n"
        "def setup(api): api.on('session_before_switch', lambda e, c: Cancel(reason='not now'))",
    )
    async with connected() as client:
        response = await client.ask(type="new_session")
    assert (response["data"]["cancelled"], response["data"]["reason"]) == (True, "not now")


async def test_a_conversation_is_compacted(connected):
    async with connected() as client:
        for _ in range(2):
            client.send(type="prompt", text="ls")
            await client.until(type="agent_settled")
        compacted = await client.ask(type="compact", instructions="briefly")
    assert compacted["data"]["type"] == "compaction"
    assert "session_compact" in client.types()


async def test_an_extension_may_ask_for_the_end(connected, extend):
    extend("leave", "def setup(api): api.register_command('leave', handler=lambda a, c: c.shutdown())")
    async with connected() as client:
        client.send(type="prompt", text="/leave")
        async with asyncio.timeout(10):
            assert await client.served == 0
    assert client.types()[-1] == "agent_settled"
