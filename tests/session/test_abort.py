"""Aborting, failing and cancelling: every call keeps one result, every run settles, nothing is left."""

import asyncio

import pytest

from pihost.content import TextContent, ToolCall
from pihost.messages import AssistantMessage, TextDelta
from pihost.models import Done, Error, ModelRegistry, Start
from pihost.session import SessionBusyError, SessionClosedError


async def finish(params, ctx):
    return f"finished {params.get('n')}"


async def hang(params, ctx):
    await asyncio.Event().wait()


def starts(world, name):
    """An event that is set when the hook is called."""
    reached = asyncio.Event()
    world.on(name, lambda _event, _ctx: reached.set())
    return reached


async def run(world, text="go"):
    """Start a prompt in the background."""
    return asyncio.create_task(world.say(text))


async def test_abort_keeps_the_results_there_are_and_answers_the_rest(world, make_call, make_calling):
    """M01: three parallel tools, one hangs."""
    done = asyncio.Barrier(3)

    async def count_down(params, ctx):
        await done.wait()
        return "fine"

    world.tools.add("quick", count_down)
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("quick", "a"), make_call("hang", "b"), make_call("quick", "c")))
    prompt = await run(world)
    await done.wait()
    await world.until("tool_execution_end", 2)
    await world.session.abort()
    events = await prompt
    assert world.texts()[2:] == ["fine", "Tool call aborted.", "fine"]
    assert events[-1].hook_name == "agent_settled"


async def test_each_started_call_ends_after_an_abort(world, make_call, make_calling):
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang", "a"), make_call("hang", "b")))
    started = starts(world, "tool_execution_start")
    prompt = await run(world)
    await started.wait()
    await world.session.abort()
    names = [event.hook_name for event in await prompt]
    assert names.count("tool_execution_start") == names.count("tool_execution_end")
    assert world.texts()[2:] == ["Tool call aborted."] * 2


async def test_a_handler_that_waits_in_tool_call_does_not_hold_an_abort_up(world, make_call, make_calling):
    """A dialog, say; the calls behind it get their results all the same."""
    world.tools.add("quick", finish)
    asked = asyncio.Event()

    async def ask(event, ctx):
        asked.set()
        await asyncio.Event().wait()

    world.on("tool_call", ask)
    world.answer(make_calling(make_call("quick", "a"), make_call("quick", "b")))
    prompt = await run(world)
    await asked.wait()
    await asyncio.wait_for(world.session.abort(), 3)
    await prompt
    assert world.texts()[2:] == ["Tool call aborted."] * 2


async def test_abort_during_an_answer_keeps_its_text_and_drops_its_cut_calls(world):
    gate = asyncio.Event()

    async def stream(request, hooks):
        yield Start()
        yield TextDelta(index=0, text="I was about to")
        gate.set()
        await asyncio.Event().wait()

    world.provider.stream = stream
    prompt = await run(world)
    await gate.wait()
    await world.session.abort()
    events = await prompt
    answer = world.session.messages[-1]
    assert (answer.text, answer.stop_reason) == ("I was about to", "aborted")
    assert [event.hook_name for event in events].count("message_start") == 2


async def test_abort_before_the_prompt_is_heard_asks_no_model(world):
    reached = asyncio.Event()

    async def think(event, ctx):
        reached.set()
        await asyncio.Event().wait()

    world.on("input", think)
    prompt = await run(world)
    await reached.wait()
    await world.session.abort()
    assert [event.hook_name for event in await prompt] == ["agent_settled"]
    assert world.provider.requests == []


async def test_abort_drops_what_waits(world, make_call, make_calling):
    started = starts(world, "tool_execution_start")
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    prompt = await run(world)
    await started.wait()
    await world.session.follow_up("later")
    await world.session.abort()
    await prompt
    assert "later" not in world.texts()
    assert world.session.is_idle


async def test_closing_the_iterator_aborts_the_run(world, make_call, make_calling):
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    events = world.session.prompt("go")
    async for event in events:
        if event.hook_name == "tool_execution_start":
            break
    await events.aclose()
    assert world.session.is_idle
    assert world.texts()[-1] == "Tool call aborted."
    assert world.events[-1].hook_name == "agent_settled"


async def test_leaving_the_loop_over_the_events_aborts_the_run(world, make_call, make_calling):
    """A plain ``break``: the iterator is closed as soon as nobody holds it."""
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    async for event in world.session.prompt("go"):
        if event.hook_name == "tool_execution_start":
            break
    await asyncio.wait_for(world.session.wait_for_idle(), 5)
    assert world.texts()[-1] == "Tool call aborted."


async def test_cancelling_whoever_follows_the_prompt_aborts_the_run(world, make_call, make_calling):
    started = starts(world, "tool_execution_start")
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    prompt = await run(world)
    await started.wait()
    prompt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await prompt
    await world.session.wait_for_idle()
    assert world.events[-1].hook_name == "agent_settled"


async def test_a_run_that_is_cancelled_itself_stores_results_and_settles(world, make_call, make_calling):
    """As the end of an event loop does it."""
    started = starts(world, "tool_execution_start")
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang", "a"), make_call("hang", "b")))
    prompt = await run(world)
    await started.wait()
    world.session._runs._task.cancel()
    events = await prompt
    assert world.texts()[2:] == ["Tool call aborted."] * 2
    assert [event.hook_name for event in events[-2:]] == ["agent_end", "agent_settled"]


async def test_the_session_works_on_after_an_abort(world, make_call, make_calling):
    started = starts(world, "tool_execution_start")
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    prompt = await run(world)
    await started.wait()
    await world.session.abort()
    await prompt
    await world.say("again")
    assert world.texts()[-2:] == ["again", "done"]


async def test_abort_without_a_run_is_nothing(world):
    await world.session.abort()
    assert world.session.is_idle


async def test_a_second_prompt_during_a_run_is_refused(world, make_call, make_calling):
    started = starts(world, "tool_execution_start")
    world.tools.add("hang", hang)
    world.answer(make_calling(make_call("hang")))
    prompt = await run(world)
    await started.wait()
    with pytest.raises(SessionBusyError, match="at work"):
        await world.say("me too")
    await world.session.abort()
    await prompt


async def test_a_prompt_after_the_end_is_refused(world):
    await world.session.shutdown()
    with pytest.raises(SessionClosedError):
        await world.say("hello?")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Error(message="bad key", status=401), "bad key"),
        (ValueError("odd"), "ValueError: odd"),
        (AssistantMessage(content=[], stop_reason="error", error_message="given up"), "given up"),
    ],
)
async def test_a_providers_failure_ends_the_run_with_an_error_answer(world, answer, message):
    world.answer(answer)
    events = await world.say("go")
    last = world.session.messages[-1]
    assert (last.stop_reason, last.error_message) == ("error", message)
    assert [event.hook_name for event in events[-2:]] == ["agent_end", "agent_settled"]
    assert len(world.provider.requests) == 1


async def test_passing_errors_are_tried_again_and_shown(world):
    world.answer(Error(message="busy", status=429, retryable=True), ConnectionError("reset"))
    events = await world.say("go")
    retries = [event for event in events if event.hook_name == "retry"]
    assert [(r.attempt, r.max_attempts, r.error_message) for r in retries] == [
        (1, 3, "busy"),
        (2, 3, "ConnectionError: reset"),
    ]
    assert retries[1].delay_seconds == 2 * retries[0].delay_seconds
    assert world.texts() == ["go", "done"]


async def test_the_wait_a_provider_asks_for_is_kept(world):
    world.answer(Error(message="busy", status=429, retryable=True, retry_after=0.05))
    (retry,) = [event for event in await world.say("go") if event.hook_name == "retry"]
    assert retry.delay_seconds == 0.05


async def test_a_wait_that_is_too_long_is_said_and_not_kept(world):
    world.answer(Error(message="no quota left", status=429, retryable=True, retry_after=3600))
    await world.say("go")
    assert len(world.provider.requests) == 1
    assert world.session.messages[-1].error_message == ("no quota left (the provider asks to wait 3600 s)")


async def test_retries_come_to_an_end(make_world):
    world = await make_world(settings={"retries": 1})
    world.answer(*[Error(message="busy", retryable=True)] * 5)
    await world.say("go")
    assert len(world.provider.requests) == 2
    assert world.session.messages[-1].error_message == "busy"


async def test_an_abort_ends_the_wait_for_a_retry(make_world):
    world = await make_world(retry_seconds=600)
    world.answer(Error(message="busy", retryable=True))
    prompt = await run(world)
    await world.until("retry")
    await asyncio.wait_for(world.session.abort(), 3)
    await prompt
    assert world.session.messages[-1].stop_reason == "aborted"


async def test_an_answer_that_breaks_off_is_tried_again(world):
    async def stream(request, hooks):
        yield Start()
        yield TextDelta(index=0, text="half")
        if len(world.events) > 6:
            message = AssistantMessage(content=[TextContent(text="whole")])
            yield Done(stop_reason="stop", usage=message.usage, message=message)

    world.provider.stream = stream
    events = await world.say("go")
    assert world.texts()[-1] == "whole"
    starts = [event for event in events if event.hook_name == "message_start"]
    assert len(starts) == 2


async def test_a_provider_that_cancels_itself_is_an_error(world):
    async def cancel(request):
        raise asyncio.CancelledError

    world.answer(cancel)
    events = await world.say("go")
    assert world.session.messages[-1].error_message == "The provider cancelled the request"
    assert events[-1].hook_name == "agent_settled"


async def test_the_providers_generator_is_closed_with_the_answer(world):
    closed = []

    async def stream(request, hooks):
        try:
            yield Error(message="no")
            yield Start()
        finally:
            closed.append(True)

    world.provider.stream = stream
    await world.say("go")
    assert closed == [True]


async def test_without_a_model_the_answer_says_how_to_choose_one(make_world):
    world = await make_world(model=None)
    await world.say("go")
    assert "--model" in world.session.messages[-1].error_message


async def test_an_unusable_provider_is_an_error_answer(make_world):
    world = await make_world(models=ModelRegistry())
    await world.say("go")
    assert "'script': is not registered" in world.session.messages[-1].error_message


async def test_keys_are_masked_in_errors(world):
    world.session.parts.models.mask = lambda text: text.replace("sk-1", "***")
    world.answer(Error(message="key sk-1 is wrong"))
    await world.say("go")
    assert world.session.messages[-1].error_message == "key *** is wrong"


async def test_calls_of_an_answer_that_ended_with_an_error_are_not_run(world):
    world.tools.add("quick", finish)
    call = ToolCall(id="1", name="quick", arguments={})
    world.answer(AssistantMessage(content=[call], stop_reason="error", error_message="overloaded"))
    await world.say("go")
    assert world.texts()[-1] == "Not run: the answer ended with an error."
    assert len(world.provider.requests) == 1
