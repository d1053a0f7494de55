"""What holds in every run, however its tools, its provider and its user behave."""

import asyncio
import random
from collections import Counter

import pytest

from pihost.content import TextContent, ToolCall, ToolResult
from pihost.messages import AssistantMessage
from pihost.models import Error
from pihost.session.transcript import sendable


async def finish(params, ctx):
    return "finished"


async def fail(params, ctx):
    raise RuntimeError("broken")


async def hang(params, ctx):
    await asyncio.sleep(0.05)
    await asyncio.Event().wait()


async def wait(params, ctx):
    await asyncio.sleep(0.002)
    return "waited"


async def stop(params, ctx):
    return ToolResult(content=[TextContent(text="over")], terminate=True)


def random_answer(rng, number):
    kind = rng.random()
    if kind < 0.15:
        return Error(message="busy", retryable=rng.random() < 0.5)
    if kind < 0.25:
        return ValueError("odd provider")
    names = [
        rng.choice(["finish", "fail", "wait", "stop", "unknown", "hang"]) for _ in range(rng.randrange(4))
    ]
    calls = [ToolCall(id=f"{number}-{index}", name=name) for index, name in enumerate(names)]
    return AssistantMessage(content=calls, stop_reason=rng.choice(["tool_use", "tool_use", "length"]))


async def play(make_world, seed):
    """A random session: several prompts, each perhaps aborted or left at a random moment."""
    rng = random.Random(seed)
    world = await make_world()
    for run in (finish, fail, wait, stop, hang):
        mode = "sequential" if run is wait and rng.random() < 0.3 else "parallel"
        world.tools.add(run.__name__, run, parameters={"type": "object"}, execution_mode=mode)
    for number in range(rng.randrange(1, 5)):
        world.answer(*(random_answer(rng, f"{number}-{turn}") for turn in range(rng.randrange(4))))
        prompt = asyncio.create_task(world.say(f"prompt {number}"))
        await asyncio.wait({prompt}, timeout=rng.random() * 0.03)
        if rng.random() < 0.3:
            prompt.cancel()
        elif rng.random() < 0.5:
            await world.session.abort()
        await asyncio.wait({prompt}, timeout=0.2)
        await world.session.abort()
        await asyncio.gather(prompt, return_exceptions=True)
        await world.session.wait_for_idle()
    return world


@pytest.mark.parametrize("seed", range(40))
async def test_every_call_has_one_result_and_every_run_settles(make_world, seed):
    world = await play(make_world, seed)
    names = Counter(event.hook_name for event in world.events)
    for kind in ("agent", "turn", "message", "tool_execution"):
        assert names[f"{kind}_start"] == names[f"{kind}_end"], kind
    assert names["agent_settled"] >= names["agent_start"]
    assert world.events[-1].hook_name == "agent_settled"
    calls = [call.id for m in world.session.messages if m.role == "assistant" for call in m.tool_calls]
    results = [m.tool_call_id for m in world.session.messages if m.role == "tool_result"]
    assert results == calls


@pytest.mark.parametrize("seed", range(40, 50))
async def test_what_is_stored_can_be_sent_as_it_is(make_world, seed):
    """Nothing is left for the next request to mend but empty answers."""
    world = await play(make_world, seed)
    stored = [m for m in world.session.messages if m.role != "assistant" or m.content]
    assert list(sendable(world.session.messages)) == stored


@pytest.mark.parametrize("seed", range(50, 60))
async def test_a_session_works_after_anything(make_world, seed):
    world = await play(make_world, seed)
    world.provider.answers.clear()
    await world.say("still there?")
    assert world.texts()[-2:] == ["still there?", "done"]
