import asyncio

import pytest

from pihost.content import TextContent, ToolCall, ToolResult
from pihost.events import (
    BeforeAgentStartResult,
    ContextResult,
    InputResult,
    MessageEndResult,
    Settle,
    ToolCallResult,
)
from pihost.messages import AssistantMessage, CustomMessage, UserMessage
from pihost.session.store import SessionStore


def said(text, **fields):
    return AssistantMessage(content=[TextContent(text=text)], **fields)


async def fail(params, ctx):
    raise ValueError("broken")


ORDER = [
    "input", "before_agent_start", "agent_start", "turn_start", "message_start", "message_end", "context",
    "context_with_system", "before_provider_headers", "before_provider_request", "after_provider_response",
    "message_start", "provider_stream_event", "message_update", "message_end", "turn_end",
    "agent_before_settle", "agent_end", "agent_settled",
]  # fmt: skip


async def test_a_prompt_runs_through_its_events_in_order(world):
    called = world.watch(*dict.fromkeys(ORDER))
    await world.say("hello")
    assert called == ORDER


async def test_the_stream_shows_what_listeners_may_see(world):
    events = await world.say("hello")
    hidden = ("input", "context", "before_", "after_", "provider_", "agent_before")
    assert [event.hook_name for event in events] == [name for name in ORDER if not name.startswith(hidden)]


async def test_question_and_answer_are_stored(world):
    world.answer(said("hi"))
    await world.say("hello")
    assert (world.roles(), world.texts()) == (["user", "assistant"], ["hello", "hi"])
    answer = world.session.messages[1]
    assert (answer.provider, answer.model, answer.usage.total) == ("script", "one", 15)


async def test_tools_run_until_the_model_asks_for_none(world, make_call, make_calling):
    async def count(params, ctx):
        return f"counted {params['n']}"

    world.tools.add("count", count)
    world.answer(make_calling(make_call("count", n=3)), said("three"))
    events = await world.say("count")
    assert world.texts() == ["count", "", "counted 3", "three"]
    assert [event.turn_index for event in events if event.hook_name == "turn_end"] == [0, 1]
    assert world.provider.requests[1].messages[-1].text == "counted 3"


async def test_calls_of_one_message_run_side_by_side_and_are_stored_in_call_order(
    world, make_call, make_calling
):
    met = asyncio.Barrier(2)

    async def meet(params, ctx):
        await asyncio.wait_for(met.wait(), 5)
        await asyncio.sleep(0.02 if params["n"] == 1 else 0)
        return params["n"]

    world.tools.add("meet", meet)
    world.answer(make_calling(make_call("meet", "a", n=1), make_call("meet", "b", n=2)))
    await world.say("go")
    assert world.texts()[2:4] == ["1", "2"]


async def test_one_sequential_tool_makes_all_calls_run_one_after_another(world, make_call, make_calling):
    log = []

    async def step(params, ctx):
        log.append(f"start {params['n']}")
        await asyncio.sleep(0)
        log.append(f"end {params['n']}")

    world.tools.add("step", step)
    world.tools.add("alone", step, execution_mode="sequential")
    world.answer(make_calling(make_call("step", "a", n=1), make_call("alone", "b", n=2)))
    await world.say("go")
    assert log == ["start 1", "end 1", "start 2", "end 2"]


async def test_an_unknown_tool_and_wrong_arguments_are_errors_the_model_can_act_on(
    world, make_call, make_calling
):
    """M07."""
    world.tools.add("count", fail)
    world.answer(make_calling(make_call("cuont", "a"), make_call("count", "b", n="three")))
    await world.say("go")
    unknown, wrong = world.session.messages[2:4]
    assert unknown.is_error
    assert "did you mean 'count'?" in unknown.text
    assert wrong.is_error
    assert "n" in wrong.text
    assert "integer" in wrong.text


async def test_a_tool_that_raises_gives_an_error_result(world, make_call, make_calling):
    world.tools.add("fail", fail)
    world.answer(make_calling(make_call("fail")))
    await world.say("go")
    assert world.texts()[2] == "ValueError: broken"
    assert world.roles()[-1] == "assistant"


async def test_calls_of_an_answer_cut_by_the_output_limit_never_run(world, make_call, make_calling):
    ran = []

    async def run(params, ctx):
        ran.append(1)

    world.tools.add("run", run)
    world.answer(make_calling(make_call("run"), stop_reason="length"), said("sorry"))
    events = await world.say("go")
    assert (ran, world.session.messages[2].is_error) == ([], True)
    assert "cut off by the output limit" in world.texts()[2]
    assert [e.hook_name for e in events if e.hook_name.startswith("tool_execution")] == [
        "tool_execution_start",
        "tool_execution_end",
    ]
    assert world.texts()[-1] == "sorry"


async def test_a_result_that_terminates_ends_the_run(world, make_call, make_calling):
    async def stop(params, ctx):
        return ToolResult(content=[TextContent(text="over")], terminate=True)

    world.tools.add("stop", stop)
    world.answer(make_calling(make_call("stop")))
    await world.say("go")
    assert len(world.provider.requests) == 1
    assert world.texts()[-1] == "over"


async def test_a_tool_outside_the_active_ones_is_neither_offered_nor_run(make_world, make_call, make_calling):
    """D07: a stored call may still name it."""
    world = await make_world(settings={"exclude_tools": ("gone",)})
    world.tools.add("gone", fail)
    world.tools.add("shy", fail, default_active=False)
    world.answer(make_calling(make_call("gone", "a"), make_call("shy", "b")))
    await world.say("go")
    assert world.provider.requests[0].tools == ()
    assert all("Unknown tool" in text for text in world.texts()[2:4])


async def test_input_may_change_what_was_said(world):
    world.on("input", lambda event, _: InputResult.transform(event.text.upper()))
    await world.say("hello")
    assert world.texts()[0] == "HELLO"


async def test_input_that_is_handled_reaches_no_model(world):
    world.on("input", lambda _event, _ctx: InputResult.handled())
    events = await world.say("hello")
    assert [event.hook_name for event in events] == ["agent_settled"]
    assert world.provider.requests == []


async def test_input_says_where_it_comes_from(world):
    sources = []
    world.on("input", lambda event, _: sources.append((event.source, event.streaming_behavior)))
    await world.say("hello")
    assert sources == [("interactive", None)]


@pytest.mark.parametrize(("expanded", "asked"), [("long form", 1), (None, 0)])
async def test_templates_and_commands_come_after_input(make_world, expanded, asked):
    async def expand(text):
        return expanded

    world = await make_world(expand=expand)
    await world.say("/short")
    assert len(world.provider.requests) == asked
    assert world.texts()[:1] == ([expanded] if expanded else [])


async def test_before_agent_start_adds_messages_and_replaces_the_system_prompt(world):
    def start(event, ctx):
        note = CustomMessage(kind="note", content="mind the gap")
        return BeforeAgentStartResult(message=note, system_prompt="Be brief.")

    world.on("before_agent_start", start)
    await world.say("hello")
    assert world.texts()[:2] == ["hello", "mind the gap"]
    assert world.provider.requests[0].system_prompt == "Be brief."


async def test_changed_options_make_the_system_prompt_anew(world):
    world.on("before_agent_start", lambda event, _: event.system_prompt_options.append.append("Speak Latin."))
    await world.say("hello")
    assert "Speak Latin." in world.provider.requests[0].system_prompt
    assert "Speak Latin." not in world.session.system_prompt()


async def test_context_changes_the_request_only(world):
    world.on("context", lambda event, _: ContextResult(messages=event.messages[:0]))
    await world.say("hello")
    assert world.provider.requests[0].messages == ()
    assert world.texts() == ["hello", "done"]


async def test_context_with_system_sees_and_may_change_the_system_message(world):
    seen = []

    def edit(event, ctx):
        seen.append(event.messages[0].role)
        return ContextResult(messages=(type(event.messages[0])(text="Other."), *event.messages[1:]))

    world.on("context_with_system", edit)
    await world.say("hello")
    assert seen == ["system"]
    assert world.provider.requests[0].system_prompt == "Other."


async def test_message_end_changes_what_is_stored_shown_and_run(world, make_call, make_calling):
    ran = []

    async def run(params, ctx):
        ran.append(params)

    def rewrite(event, ctx):
        if event.message.role == "assistant" and event.message.tool_calls:
            return MessageEndResult(message=make_calling(make_call("run", n=2)))
        return None

    world.tools.add("run", run)
    world.on("message_end", rewrite)
    world.answer(make_calling(make_call("run", n=1)))
    events = await world.say("go")
    shown = [e.message for e in events if e.hook_name == "message_end" and e.message.role == "assistant"]
    assert ran == [{"n": 2}]
    assert shown[0] == world.session.messages[1]


async def test_provider_hooks_reach_the_extensions(world):
    seen = {}

    def headers(event, ctx):
        event.headers["x-plain"] = None
        event.headers["x-added"] = "2"

    world.on("before_provider_headers", headers)
    world.on("before_provider_request", lambda event, _: seen.update(event.payload))
    world.on("after_provider_response", lambda event, _: seen.update(event.headers, status=event.status))
    world.on("provider_stream_event", lambda event, _: seen.update(event.data, model=event.model))
    await world.say("hello")
    assert seen == {"messages": 1, "x-served-by": "script", "status": 200, "index": 0, "model": "one"}


async def test_steering_is_delivered_before_the_next_request(world, make_call, make_calling):
    async def work(params, ctx):
        await world.session.steer("hurry")

    world.tools.add("work", work)
    world.answer(make_calling(make_call("work")))
    await world.say("go")
    assert world.texts() == ["go", "", "None", "hurry", "done"]


async def test_a_follow_up_is_delivered_when_the_run_would_stop(world, make_call, make_calling):
    async def work(params, ctx):
        await world.session.follow_up("and then?")
        await world.session.follow_up("and then??")

    world.tools.add("work", work)
    world.answer(make_calling(make_call("work")), said("first"), said("second"), said("third"))
    await world.say("go")
    assert world.texts()[3:] == ["first", "and then?", "second", "and then??", "third"]


async def test_settle_adds_messages_and_may_go_on(world):
    note = CustomMessage(kind="note", content="check again")
    answers = [Settle(messages=[note], go_on=True), Settle(messages=[note])]
    world.on("agent_before_settle", lambda _event, _ctx: answers.pop(0))
    await world.say("go")
    assert world.texts() == ["go", "done", "check again", "done", "check again"]
    assert len(world.provider.requests) == 2


async def test_e12_a_message_queued_at_the_end_of_the_run_runs(world):
    once = ["one more"]
    world.on(
        "agent_end",
        lambda _event, _ctx: world.session.actions.send_user_message(once.pop()) if once else None,
    )
    events = await world.say("go")
    assert world.texts() == ["go", "done", "one more", "done"]
    names = [event.hook_name for event in events]
    assert (names.count("agent_end"), names.count("agent_settled")) == (2, 1)


async def test_agent_end_carries_the_messages_of_the_run(world):
    await world.say("first")
    events = await world.say("second")
    (end,) = [event for event in events if event.hook_name == "agent_end"]
    assert [message.text for message in end.messages] == ["second", "done"]


async def test_a_blocked_call_is_an_event_and_an_entry_outside_the_context(world, make_call, make_calling):
    world.tools.add("rm", fail)
    world.on("tool_call", lambda _event, _ctx: ToolCallResult(block=True, reason="not here"), "guard")
    world.answer(make_calling(make_call("rm", "x")))
    events = await world.say("go")
    (blocked,) = [event for event in events if event.hook_name == "tool_blocked"]
    assert (blocked.extension, blocked.tool_call_id, blocked.tool_name) == ("guard", "x", "rm")
    assert [entry.data["reason"] for entry in world.session.entries if entry.type == "custom"] == ["not here"]
    assert world.roles() == ["user", "assistant", "tool_result", "assistant"]


async def test_an_extensions_error_is_an_event_and_an_entry(world):
    world.on("turn_start", lambda _event, _ctx: 1 / 0)
    events = await world.say("go")
    (error,) = [event for event in events if event.hook_name == "extension_error"]
    assert (error.extension, error.event) == ("ext", "turn_start")
    assert [e.kind for e in world.session.entries if e.type == "custom"] == ["extension_error"]


async def test_tools_see_the_session_in_their_environment_and_context(world, make_call, make_calling):
    seen = {}

    async def look(params, ctx):
        seen.update(ctx.env, idle=ctx.is_idle(), signal=ctx.signal.aborted, prompt=ctx.system_prompt())

    world.tools.add("look", look, prompt_snippet="look around", prompt_guidelines=("Look twice.",))
    world.answer(make_calling(make_call("look")))
    await world.say("go")
    assert seen.pop("prompt") == world.provider.requests[0].system_prompt
    assert seen == {
        "PIHOST_SESSION_ID": world.session.id,
        "PIHOST_PROVIDER": "script",
        "PIHOST_MODEL": "one",
        "idle": False,
        "signal": False,
    }
    assert "- look: look around" in world.provider.requests[0].system_prompt
    assert "Look twice." in world.provider.requests[0].system_prompt


async def test_custom_messages_reach_the_model(world):
    world.session.actions.send_message(CustomMessage(kind="note", content="psst"))
    await world.say("go")
    assert [type(m) for m in world.provider.requests[0].messages] == [UserMessage, CustomMessage]


async def test_a_lone_surrogate_reaches_no_provider(world):
    world.on("before_agent_start", lambda _event, _ctx: BeforeAgentStartResult(system_prompt="a\ud800b"))
    await world.say("c\udfffd")
    request = world.provider.requests[0]
    assert (request.system_prompt, request.messages[0].text) == ("a\ufffdb", "c\ufffdd")
    assert world.texts()[0] == "c\udfffd"


def nested(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value


async def test_arguments_nested_too_deeply_are_refused_and_no_more(world, make_call, make_calling):
    """They would break the copying and encoding of this request and of every later one."""
    ran = []

    async def look(params, ctx):
        ran.append(params)
        return "seen"

    world.tools.add("look", look)
    world.answer(make_calling(make_call("look", a=nested(600))), said("sorry"), said("still here"))
    await world.say("look")
    await world.say("go on")
    assert (world.roles()[2], ran, world.texts()[-1]) == ("tool_result", [], "still here")
    assert "one JSON object of at most 100 levels" in world.texts()[2]


async def test_a_stored_call_nested_too_deeply_does_not_keep_the_session_from_going_on(make_world, tmp_path):
    """Whoever wrote it."""
    file = tmp_path / "s.jsonl"
    with SessionStore.open(file, tmp_path) as store:
        store.append_message(UserMessage.from_text("look"))
        store.append_message(AssistantMessage(content=[ToolCall(id="1", name="look", arguments={"a": 5})]))
    deep = b"[" * 600 + b"]" * 600
    file.write_bytes(file.read_bytes().replace(b'{"a":5}', b'{"a":' + deep + b"}"))
    world = await make_world(store=SessionStore.open(file, tmp_path))
    await world.say("go on")
    assert world.texts()[-1] == "done"
    (call,) = world.provider.requests[0].messages[1].tool_calls
    assert call.arguments == {}
