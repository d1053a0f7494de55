import asyncio

import pytest

from pihost.content import ImageContent, TextContent, ToolResult
from pihost.entries import ModelChangeEntry, ThinkingLevelChangeEntry
from pihost.events import TrustRefusedEvent, UserBashResult
from pihost.messages import AssistantMessage, CustomMessage
from pihost.model import Model, Route
from pihost.models import VirtualModel
from pihost.session.restore import restored_model, stored_choices
from pihost.session.store import SessionStore, read_session


async def echo(params, ctx):
    return f"$ {params['command']}"


COMMAND = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


@pytest.fixture
async def shell(world):
    """A session whose bash tool says what it would run."""
    world.tools.add("bash", echo, parameters=COMMAND)
    return world


async def test_f03_start_and_shutdown_fire_exactly_once(world):
    called = []
    world.on("session_start", lambda event, _: called.append(("start", event.reason)))
    world.on("session_shutdown", lambda event, _: called.append(("shutdown", event.reason)))
    await world.session.start("resume")
    await world.session.start()
    await asyncio.gather(world.session.shutdown("reload"), world.session.shutdown())
    assert called == [("start", "resume"), ("shutdown", "reload")]


async def test_a_session_that_never_started_does_not_shut_down(world):
    called = world.watch("session_shutdown")
    await world.session.shutdown()
    assert called == []


async def test_shutdown_ends_the_run_first_and_closes_the_file(make_world, tmp_path, make_call, make_calling):
    store = SessionStore.create(tmp_path, tmp_path)
    world = await make_world(store=store)
    called = world.watch("agent_settled", "session_shutdown", "tool_execution_start")

    async def hang(params, ctx):
        await asyncio.Event().wait()

    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    await world.session.start()
    prompt = asyncio.create_task(world.say("go"))
    await world.until("tool_execution_start")
    file = world.session.file
    await world.session.shutdown()
    await prompt
    assert called == ["tool_execution_start", "agent_settled", "session_shutdown"]
    SessionStore.open(file, tmp_path).close()


async def test_entries_written_during_shutdown_reach_the_file(make_world, tmp_path):
    store = SessionStore.create(tmp_path, tmp_path)
    world = await make_world(store=store)
    world.on("session_shutdown", lambda _event, _ctx: world.session.actions.append_entry("bye", 1) and None)
    await world.session.start()
    await world.say("go")
    file = world.session.file
    await world.session.shutdown()
    assert read_session(file).entries[-1].kind == "bye"


async def test_a_stored_session_goes_on(make_world, tmp_path):
    store = SessionStore.create(tmp_path, tmp_path)
    first = await make_world(store=store)
    await first.say("one")
    file = first.session.file
    await first.session.shutdown()
    second = await make_world(store=SessionStore.open(file, tmp_path))
    await second.say("two")
    assert second.texts() == ["one", "done", "two", "done"]
    assert [message.text for message in second.provider.requests[0].messages] == ["one", "done", "two"]


async def test_start_notes_model_and_level_once(make_world, tmp_path):
    world = await make_world(thinking_level="high")
    await world.session.start()
    assert [type(entry) for entry in world.session.entries] == [ModelChangeEntry, ThinkingLevelChangeEntry]
    again = await make_world(store=world.session.parts.store, thinking_level="high")
    await again.session.start()
    assert len(again.session.entries) == 2


async def test_the_choices_of_a_branch_can_be_restored(world):
    await world.session.set_model(Model(provider="script", id="two"))
    world.session.set_thinking_level("low")
    branch = world.session.parts.store.branch()
    assert stored_choices(branch) == (("script", "two"), "low")
    assert restored_model(branch, world.session.parts.models).ref == "script/two"
    assert restored_model([], world.session.parts.models) is None


async def test_another_model_answers_from_the_next_request_on(world):
    seen = []
    world.on("model_select", lambda event, _: seen.append((event.model.id, event.previous_model.id)))
    assert await world.session.set_model(Model(provider="script", id="two"))
    await world.say("go")
    assert world.provider.requests[0].model.id == "two"
    assert seen == [("two", "one")]


async def test_choosing_the_same_model_again_is_no_event(world):
    called = world.watch("model_select")
    assert await world.session.set_model(world.session.state.model)
    assert called == []


async def test_a_model_that_is_not_there_is_not_chosen(world):
    assert not await world.session.set_model(Model(provider="script", id="three"))
    assert world.session.state.model.id == "one"


async def test_a_model_whose_provider_cannot_be_used_is_not_chosen(world):
    config = {"base_url": "https://models.example.com", "api": "nobodys", "models": ["x"]}
    world.session.parts.models.register_provider("acme", config)
    assert not await world.session.set_model(Model(provider="acme", id="x"))


async def test_the_thinking_level_reaches_the_request_and_fires(world):
    seen = []
    world.on("thinking_level_select", lambda event, _: seen.append((event.level, event.previous_level)))
    world.session.set_thinking_level("high")
    world.session.set_thinking_level("high")
    await world.say("go")
    assert world.provider.requests[0].thinking_level == "high"
    assert seen == [("high", "off")]


async def test_a_thinking_level_must_be_one(world):
    with pytest.raises(ValueError, match="must be one of off, minimal, low"):
        world.session.set_thinking_level("much")


async def test_a_name_fires_when_it_changes(world):
    seen = []
    world.on("session_info_changed", lambda event, _: seen.append(event.name))
    for name in ("my\nwork ", "my work", ""):
        world.session.set_name(name)
    await world.session.wait_for_idle()
    assert seen == ["my work", None]
    assert world.session.name is None


async def test_a_virtual_model_routes_each_request_and_keeps_its_state(world):
    states = []

    def route(request, ctx):
        states.append(request.state)
        return Route(provider="script", id="two", state={"n": len(states)})

    world.session.parts.models.register_virtual_model(VirtualModel(provider="auto", id="best", route=route))
    assert await world.session.set_model(Model(provider="auto", id="best"))
    await world.say("one")
    await world.say("two")
    assert states == [None, {"n": 1}]
    assert world.provider.requests[0].model.id == "two"
    assert world.session.messages[1].model == "two"


async def test_a_failing_route_is_an_error_answer(world):
    model = VirtualModel(provider="auto", id="best", route=lambda *_: 1 / 0)
    world.session.parts.models.register_virtual_model(model)
    await world.session.set_model(model.model)
    await world.say("go")
    assert "auto/best: its route failed: ZeroDivisionError" in world.session.messages[-1].error_message


async def test_route_state_without_a_json_form_is_an_error_answer(world):
    model = VirtualModel(
        provider="auto", id="best", route=lambda *_: Route(provider="script", id="one", state=object())
    )
    world.session.parts.models.register_virtual_model(model)
    await world.session.set_model(model.model)
    await world.say("go")
    assert "no JSON form" in world.session.messages[-1].error_message


async def test_call_tool_goes_through_the_hooks_and_leaves_the_conversation_alone(shell):
    called = shell.watch("tool_call", "tool_execution_end")
    result = await shell.session.call_tool("bash", {"command": "ls"})
    assert (result.text, called) == ("$ ls", ["tool_call", "tool_execution_end"])
    assert shell.session.messages == ()


async def test_the_users_own_command_joins_the_conversation(shell):
    result = await shell.session.user_bash("ls")
    await shell.say("and?")
    assert result.text == "$ ls"
    assert shell.texts()[0] == "The user ran `ls`:\n$ ls"
    assert shell.provider.requests[0].messages[0].kind == "user_bash"


async def test_the_users_own_command_never_stands_between_a_call_and_its_result(
    shell, make_call, make_calling
):
    """A run may begin while a handler still looks at what came of the command."""
    seen, go_on = asyncio.Event(), asyncio.Event()

    async def look(event, ctx):
        if event.message.role == "custom":
            seen.set()
            await go_on.wait()

    async def run(params, ctx):
        go_on.set()
        await command
        return "ran"

    shell.on("message_end", look)
    shell.tools.add("run", run)
    command = asyncio.create_task(shell.session.user_bash("ls"))
    await seen.wait()
    shell.answer(make_calling(make_call("run")))
    await shell.say("go")
    assert shell.roles() == ["user", "assistant", "tool_result", "assistant", "custom"]


async def test_the_users_own_command_may_stay_out_of_the_context(shell):
    await shell.session.user_bash("ls", exclude_from_context=True)
    assert shell.session.messages == ()
    assert shell.session.entries[0].data == {"command": "ls", "output": "$ ls", "is_error": False}


async def test_the_users_command_is_not_judged_as_the_models(shell):
    called = shell.watch("tool_call", "user_bash")
    await shell.session.user_bash("ls")
    assert called == ["user_bash"]


async def test_an_extension_may_give_the_result_of_the_users_command(shell):
    shell.on("user_bash", lambda _event, _ctx: UserBashResult(result=ToolResult.from_text("mine")))
    assert (await shell.session.user_bash("ls")).text == "mine"


class Elsewhere:
    def __init__(self, answer):
        self.answer = answer

    async def run(self, command, *, cwd, env):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "text", "is_error"),
    [
        (ToolResult.from_text("far away"), "far away", False),
        (OSError("no route"), "OSError: no route", True),
        ("text", "The command's operations returned str instead of a ToolResult", True),
    ],
)
async def test_an_extension_may_run_the_users_command_elsewhere(shell, answer, text, is_error):
    shell.on("user_bash", lambda _event, _ctx: UserBashResult(operations=Elsewhere(answer)))
    result = await shell.session.user_bash("ls")
    assert (result.text, result.is_error) == (text, is_error)


async def test_abort_ends_the_users_command_elsewhere(shell):
    begun = asyncio.Event()

    class Endless:
        async def run(self, command, *, cwd, env):
            begun.set()
            await asyncio.Event().wait()

    shell.on("user_bash", lambda _event, _ctx: UserBashResult(operations=Endless()))
    command = asyncio.create_task(shell.session.user_bash("ls"))
    await begun.wait()
    await shell.session.abort()
    result = await asyncio.wait_for(command, 10)
    assert (result.text, result.is_error) == ("The command was aborted", True)


async def test_a_failing_handler_refuses_the_users_command_and_is_recorded(shell):
    shell.on("user_bash", lambda _event, _ctx: 1 / 0)
    result = await shell.session.user_bash("ls")
    assert result.is_error
    names = [event.hook_name for event in shell.events]
    assert names[:2].count("tool_blocked") == 1
    assert "extension_error" in names


async def test_a_command_during_a_run_waits_for_the_next_prompt(shell, make_call, make_calling):
    """Nothing may come between a tool call and its result."""

    async def work(params, ctx):
        await shell.session.user_bash("ls")

    shell.tools.add("work", work)
    shell.answer(make_calling(make_call("work")))
    await shell.say("go")
    await shell.say("next")
    assert shell.roles() == ["user", "assistant", "tool_result", "assistant", "user", "custom", "assistant"]


async def test_a_refused_trust_is_an_event_and_an_entry(world, tmp_path):
    event = TrustRefusedEvent(cwd=tmp_path, step=7, reason="nobody said yes", skipped=(tmp_path / "x",))
    world.session.faults.record(event)
    assert world.events == [event]
    assert world.session.entries[0].data["skipped"] == (str(tmp_path / "x"),)


async def test_a_triggering_message_starts_a_run(world):
    world.session.actions.send_message(CustomMessage(kind="k", content="wake up"), trigger_turn=True)
    assert not world.session.is_idle
    await world.session.wait_for_idle()
    assert world.texts() == ["wake up", "done"]


@pytest.mark.parametrize(
    ("deliver_as", "trigger", "expected"),
    [
        ("steer", False, ["go", "", "None", "note", "done"]),
        ("follow_up", False, ["go", "", "None", "done", "note", "done"]),
        ("next_turn", True, ["go", "", "None", "done", "note", "done"]),
        ("next_turn", False, ["go", "", "None", "done"]),
    ],
)
async def test_a_message_during_a_run_comes_when_it_was_asked_for(
    world, make_call, make_calling, deliver_as, trigger, expected
):
    note = CustomMessage(kind="k", content="note")

    async def work(params, ctx):
        world.session.actions.send_message(note, deliver_as, trigger)

    world.tools.add("work", work)
    world.answer(make_calling(make_call("work")))
    await world.say("go")
    assert world.texts() == expected


async def test_speaking_in_the_users_name_starts_a_run_and_says_so(world):
    sources = []
    world.on("input", lambda event, _: sources.append(event.source))
    image = ImageContent(data="aGk=", mime_type="image/png")
    world.session.actions.send_user_message([TextContent(text="look"), image])
    await world.session.wait_for_idle()
    assert sources == ["extension"]
    assert world.session.messages[0].content == (TextContent(text="look"), image)


async def test_speaking_in_the_users_name_may_wait_for_the_next_prompt(world):
    world.session.actions.send_user_message("later", "next_turn")
    assert world.session.is_idle
    await world.say("go")
    assert world.texts()[:2] == ["go", "later"]


async def test_steering_without_a_run_starts_one(world):
    await world.session.steer("go")
    await world.session.wait_for_idle()
    assert world.texts() == ["go", "done"]


async def test_what_is_said_is_heard_by_input_with_its_way(world, make_call, make_calling):
    ways = []
    world.on("input", lambda event, _: ways.append(event.streaming_behavior))

    async def work(params, ctx):
        await world.session.steer("a")
        await world.session.follow_up("b")

    world.tools.add("work", work)
    world.answer(make_calling(make_call("work")))
    await world.say("go")
    assert ways == [None, "steer", "follow_up"]


async def test_the_tools_offered_can_be_chosen(shell):
    shell.tools.add("other", echo)
    shell.session.actions.set_active_tools(["other"])
    await shell.say("go")
    assert [tool.name for tool in shell.provider.requests[0].tools] == ["other"]


async def test_only_tools_that_exist_can_be_chosen(shell):
    with pytest.raises(ValueError, match="there is no tool bahs; there are bash"):
        shell.session.actions.set_active_tools(["bahs"])


async def test_settings_choose_the_tools(make_world):
    world = await make_world(settings={"tools": ("b",)})
    world.tools.add("a", echo)
    world.tools.add("b", echo, default_active=False)
    assert list(world.session.state.active_tools()) == ["b"]


async def test_an_entry_can_be_labelled(world):
    entry_id = world.session.actions.append_entry("state", {"a": 1})
    world.session.actions.set_label(entry_id, "here")
    assert world.session.parts.store.label(entry_id) == "here"
    with pytest.raises(ValueError, match="no entry 'nowhere'"):
        world.session.actions.set_label("nowhere", "x")


async def test_context_usage_is_that_of_the_last_answer(world):
    assert world.session.context_usage().tokens == 0
    await world.say("go")
    usage = world.session.context_usage()
    assert (usage.tokens, usage.context_window) == (15, 1000)


async def test_without_a_model_there_is_no_context_usage(make_world):
    world = await make_world(model=None)
    assert world.session.context_usage() is None


async def test_a_listener_can_stop_listening(world):
    seen = []
    unsubscribe = world.session.subscribe(seen.append)
    unsubscribe()
    unsubscribe()
    await world.say("go")
    assert seen == []


async def test_extensions_act_on_and_see_the_session(world):
    """What ``bind_core`` is given is the session itself."""
    runtime, context = world.runner.runtime, world.runner.create_context()
    world.tools.add("bash", echo, parameters=COMMAND, default_active=False)
    runtime.actions.set_session_name("n")
    runtime.actions.set_thinking_level("low")
    info = runtime.actions.get_all_tools()[0]
    assert (info.name, info.active, info.parameters["required"]) == ("bash", False, ["command"])
    assert (runtime.actions.get_session_name(), context.session.name, context.thinking_level) == (
        "n",
        "n",
        "low",
    )
    assert (context.model.id, context.is_idle(), context.signal) == ("one", True, None)
    assert not context.has_pending_messages()
    assert context.models.find("script/two").id == "two"
    assert (runtime.actions.get_active_tools(), runtime.actions.get_commands()) == ([], [])
    assert runtime.actions.get_settings() is world.session.parts.settings


async def test_an_extension_may_abort_the_run(world, make_call, make_calling):
    async def work(params, ctx):
        ctx.abort()
        await asyncio.Event().wait()

    world.tools.add("work", work)
    world.answer(make_calling(make_call("work")))
    events = await world.say("go")
    assert world.texts()[-1] == "Tool call aborted."
    assert events[-1].hook_name == "agent_settled"


async def test_an_answer_without_content_is_not_sent_again(world):
    world.answer(AssistantMessage(content=[], stop_reason="error", error_message="x"))
    await world.say("one")
    await world.say("two")
    assert [message.role for message in world.provider.requests[1].messages] == ["user", "user"]


async def test_the_end_does_not_wait_for_ever_for_handlers_in_the_background(world, monkeypatch):
    monkeypatch.setattr("pihost.session.agent_session._BACKGROUND_SECONDS", 0.05)

    async def hang(event, ctx):
        await asyncio.Event().wait()

    world.on("session_info_changed", hang)
    world.session.set_name("n")
    await world.session.shutdown()
    assert world.session.state.background == set()


async def test_what_was_said_as_the_run_ended_starts_another(world):
    """The run is over before ``input`` has dealt with it."""
    gate, late = asyncio.Event(), []

    async def slow(event, ctx):
        if event.text == "late":
            await gate.wait()

    def steer_once(event, ctx):
        if not late:
            late.append(asyncio.create_task(world.session.steer("late")))

    world.on("input", slow)
    world.on("turn_start", steer_once)
    await world.say("go")
    gate.set()
    await late[0]
    await world.session.wait_for_idle()
    assert world.texts() == ["go", "done", "late", "done"]


async def test_images_come_with_what_was_said(world):
    image = ImageContent(data="aGk=", mime_type="image/png")
    seen = []
    world.on("before_agent_start", lambda event, _: seen.append(event.images))
    async for _event in world.session.prompt("look", images=[image]):
        pass
    assert world.session.messages[0].content[1] == image
    assert seen == [(image,)]


async def test_a_handler_that_never_settles_does_not_hold_an_abort_up(world):
    async def think(event, ctx):
        await asyncio.Event().wait()

    world.on("agent_before_settle", think)
    prompt = asyncio.create_task(world.say("go"))
    await world.until("turn_end")
    await asyncio.wait_for(world.session.abort(), 5)
    assert (await prompt)[-1].hook_name == "agent_settled"


async def test_a_command_may_wait_until_the_session_is_idle(make_world):
    """It is called by a prompt, and must not wait for itself."""
    waited = []

    async def command(text):
        await world.session.wait_for_idle()
        await world.session.abort()
        waited.append(text)

    world = await make_world(expand=command)
    events = await asyncio.wait_for(world.say("/wait"), 5)
    assert (waited, [event.hook_name for event in events]) == (["/wait"], ["agent_settled"])


async def test_a_command_may_end_the_session(make_world):
    """As a reload does; what comes after tells the old extensions nothing more."""

    async def command(text):
        await world.session.shutdown("reload")

    world = await make_world(expand=command)
    called = world.watch("session_shutdown", "agent_settled")
    await world.session.start()
    events = await asyncio.wait_for(world.say("/reload"), 5)
    assert (called, [event.hook_name for event in events]) == (["session_shutdown"], ["agent_settled"])


async def test_what_a_command_says_starts_a_run(make_world):
    async def command(text):
        if not text.startswith("/"):
            return text
        world.session.actions.send_user_message("review it")
        return None

    world = await make_world(expand=command)
    events = await world.say("/review")
    assert world.texts() == ["review it", "done"]
    assert [event.hook_name for event in events].count("agent_settled") == 1


async def test_what_is_queued_while_an_abort_ends_the_run_is_dropped(world):
    note = CustomMessage(kind="k", content="and on")
    world.on("agent_end", lambda _event, _ctx: world.session.actions.send_message(note, "follow_up"))
    world.on("turn_start", lambda _event, _ctx: world.session.abort_soon())
    await world.say("go")
    assert world.session.state.queues.is_empty
    assert "and on" not in world.texts()
