"""Wrappers: generators around the whole dispatch, with no power to lift a block."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.content import ToolResult
from pihost.events import (
    ContextResult,
    ToolCallEvent,
    ToolCallResult,
    ToolResultPatch,
    UserBashResult,
)
from pihost.hooks import HookTable, hookimpl

BLOCK = ToolCallResult(block=True, reason="no")


class Extension:
    """An extension with one wrapper."""

    def __init__(self, hook, generator_function, **options):
        def wrapper(self, event, ctx):
            return (yield from generator_function(event, ctx))

        kind = type("Extension", (), {hook: hookimpl(wrapper, wrapper=True, **options)})
        self.plugin = kind()


def wrap(desk, hook, *generator_functions, **options):
    """Register each as a wrapper of an extension of its own: ``u``, ``v`` and so on."""
    for number, function in enumerate(generator_functions):
        desk.table.register("uvwxyz"[number], Extension(hook, function, **options).plugin)


def tracing(calls, name):
    def wrapper(event, ctx):
        calls.append(f"{name} before")
        try:
            calls.append((yield))
        finally:
            calls.append(f"{name} after")

    return wrapper


async def test_wrappers_stand_around_the_whole_dispatch(desk, events):
    calls = []
    wrap(desk, "turn_start", tracing(calls, "outer"), tracing(calls, "inner"))
    desk.on("turn_start", lambda event, ctx: calls.append("handler"), tryfirst=True)

    await desk.emit(events.turn_start)

    assert calls == [
        "outer before", "inner before", "handler", None, "inner after", None, "outer after",
    ]  # fmt: skip


async def test_a_tryfirst_wrapper_is_the_outermost(desk, events):
    calls = []
    wrap(desk, "turn_start", tracing(calls, "plain"))
    desk.table.register("z", Extension("turn_start", tracing(calls, "first"), tryfirst=True).plugin)

    await desk.emit(events.turn_start)

    assert calls[0] == "first before"


async def test_a_wrapper_is_handed_the_value(desk, events):
    calls = []
    wrap(desk, "context", tracing(calls, "w"))

    await desk.emit(events.context)

    assert calls[1] == events.context.messages


async def test_what_a_wrapper_returns_is_one_more_answer(desk, events):
    def shorten(event, ctx):
        messages = yield
        return ContextResult(messages=messages[1:])

    wrap(desk, "context", shorten)

    assert await desk.emit(events.context) == ()


async def test_returning_what_it_was_given_changes_nothing(desk, events):
    def polite(event, ctx):
        return (yield)

    wrap(desk, "context", polite, polite)

    assert await desk.emit(events.context) == events.context.messages
    assert desk.errors == []


async def test_a_wrapper_patches_a_result(desk, events):
    def stamp(event, ctx):
        result = yield
        return ToolResultPatch(details=len(result.content))

    wrap(desk, "tool_result", stamp)

    assert (await desk.emit(events.tool_result)).details == 1


async def test_a_wrapper_may_block(desk, events):
    def guard(event, ctx):
        yield
        return BLOCK

    wrap(desk, "tool_call", guard)

    assert await desk.emit(events.tool_call) is BLOCK
    assert desk.blocks == [("u", "tool_call", "no")]


async def test_a_wrapper_may_answer_a_first_hook_in_anothers_place(desk, events):
    mine = UserBashResult(result=ToolResult.from_text("mine"))

    def instead(event, ctx):
        yield
        return mine

    wrap(desk, "user_bash", instead)
    desk.on("user_bash", lambda event, ctx: UserBashResult(result=ToolResult()))

    assert await desk.emit(events.user_bash) is mine


async def test_a_refusal_of_a_command_stands(desk, events):
    def forgive(event, ctx):
        yield
        return UserBashResult(result=ToolResult.from_text("fine"))

    def fail(event, ctx):
        raise ValueError("boom")

    wrap(desk, "user_bash", forgive)
    desk.on("user_bash", fail)

    assert (await desk.emit(events.user_bash)).result.is_error


# faults of wrappers


def forgets(event, ctx):
    yield


def lifts(event, ctx):
    yield
    return ToolCallResult(block=False)


def fails_before(event, ctx):
    raise ValueError("before")
    yield


def fails_after(event, ctx):
    yield
    raise ValueError("after")


def yields_twice(event, ctx):
    yield
    yield


def never_yields(event, ctx):
    if event is None:
        yield


def answers_nonsense(event, ctx):
    yield
    return "fine"


def exits(event, ctx):
    yield
    raise SystemExit(0)


def swallows(event, ctx):
    try:
        yield
    except BaseException:  # noqa: BLE001 -- what a careless author writes
        return ToolCallResult(block=False)


HARMLESS = [forgets, lifts, swallows]
FAULTY = [fails_before, fails_after, yields_twice, never_yields, answers_nonsense, exits]


@pytest.mark.parametrize("wrapper", HARMLESS + FAULTY)
async def test_a_block_stands_whatever_a_wrapper_does(desk, events, wrapper):
    wrap(desk, "tool_call", wrapper)
    desk.on("tool_call", lambda event, ctx: BLOCK)

    result = await desk.emit(events.tool_call)

    assert result.block
    assert len(desk.blocks) == 1


@pytest.mark.parametrize("wrapper", FAULTY)
async def test_a_faulty_wrapper_blocks_a_call_by_itself(desk, events, wrapper):
    wrap(desk, "tool_call", wrapper)

    result = await desk.emit(events.tool_call)

    assert "extension 'u'" in result.reason
    assert desk.reports == [("u", "tool_call")]


@pytest.mark.parametrize("wrapper", FAULTY)
async def test_elsewhere_a_faulty_wrapper_is_reported_and_costs_nothing(desk, events, wrapper):
    called = []
    wrap(desk, "turn_start", wrapper)
    desk.on("turn_start", lambda event, ctx: called.append(1))

    assert await desk.emit(events.turn_start) is None
    assert called == [1]
    assert desk.reports == [("u", "turn_start")]


async def test_e10_an_outer_wrapper_cleans_up_before_the_call_returns(desk, events):
    calls = []
    wrap(desk, "tool_call", tracing(calls, "outer"), fails_after)

    await desk.emit(events.tool_call)

    assert calls[-1] == "outer after"
    assert desk.reports == [("v", "tool_call")]


@given(
    wrappers=st.lists(st.sampled_from(HARMLESS + FAULTY), max_size=5),
    handlers=st.lists(st.sampled_from(["block", "pass", "raise", "allow", "nonsense"]), max_size=5),
)
def test_gates_never_lose_a_block(wrappers, handlers):
    """With any wrappers around any handlers, one that blocks or fails is a block, and told exactly once."""
    blocks = []
    table = HookTable(on_error=lambda error: None, on_block=lambda *block: blocks.append(block))
    for number, wrapper in enumerate(wrappers):
        table.register(f"w{number}", Extension("tool_call", wrapper).plugin)
    for number, sort in enumerate(handlers):
        table.subscribe(f"h{number}", "tool_call", HANDLERS[sort])

    event = ToolCallEvent(tool_call_id="1", tool_name="bash", input={})
    result = asyncio.run(table.emit(event, None))

    must_block = bool({*wrappers} & {*FAULTY}) or bool({*handlers} & {"block", "raise", "nonsense"})
    assert (result is not None and result.block) == must_block
    assert len(blocks) == must_block


HANDLERS = {
    "block": lambda event, ctx: BLOCK,
    "pass": lambda event, ctx: None,
    "raise": lambda event, ctx: event.missing,
    "allow": lambda event, ctx: ToolCallResult(block=False),
    "nonsense": lambda event, ctx: "no",
}


# what passes through wrappers


async def hang(event, ctx):
    await asyncio.sleep(30)


@pytest.mark.parametrize("wrapper", [*HARMLESS, fails_after, yields_twice])
async def test_the_callers_cancellation_passes_through_every_wrapper(desk, events, wrapper):
    calls = []
    wrap(desk, "tool_call", tracing(calls, "outer"), wrapper)
    desk.on("tool_call", hang)
    task = asyncio.ensure_future(desk.emit(events.tool_call))
    await asyncio.sleep(0.01)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert calls == ["outer before", "outer after"]


async def test_an_interrupt_in_a_handler_reaches_the_wrappers_and_the_caller(desk, events):
    calls = []

    def interrupted(event, ctx):
        raise KeyboardInterrupt

    wrap(desk, "turn_start", tracing(calls, "w"))
    desk.on("turn_start", interrupted)

    with pytest.raises(KeyboardInterrupt):
        await desk.emit(events.turn_start)
    assert calls == ["w before", "w after"]


async def test_an_interrupt_in_a_wrapper_reaches_the_caller(desk, events):
    calls = []

    def interrupted(event, ctx):
        yield
        raise KeyboardInterrupt

    wrap(desk, "turn_start", tracing(calls, "outer"), interrupted)

    with pytest.raises(KeyboardInterrupt):
        await desk.emit(events.turn_start)
    assert calls == ["outer before", "outer after"]


async def test_a_wrapper_that_fails_while_the_caller_cancels_is_reported(desk, events):
    def fails_in_cleanup(event, ctx):
        try:
            yield
        finally:
            raise ValueError("cleanup")

    wrap(desk, "turn_start", fails_in_cleanup)
    desk.on("turn_start", hang)
    task = asyncio.ensure_future(desk.emit(events.turn_start))
    await asyncio.sleep(0.01)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert [e.error for e in desk.errors] == ["ValueError: cleanup"]


async def test_a_wrapper_that_will_not_close_is_reported(desk, events):
    def clings(event, ctx):
        yield
        try:
            yield
        except GeneratorExit:
            yield

    wrap(desk, "user_bash", clings)

    await desk.emit(events.user_bash)

    assert [e.error for e in desk.errors] == [
        "the wrapper yielded more than once",
        "RuntimeError: generator ignored GeneratorExit",
    ]


async def test_a_wrapper_that_yields_on_when_the_caller_cancels_is_closed(desk, events):
    closed = []

    def clings(event, ctx):
        try:
            yield
        except asyncio.CancelledError:
            try:
                yield
            finally:
                closed.append(1)

    wrap(desk, "tool_call", clings)
    desk.on("tool_call", hang)
    task = asyncio.ensure_future(desk.emit(events.tool_call))
    await asyncio.sleep(0.01)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == [1]
    assert [e.error for e in desk.errors] == ["the wrapper yielded more than once"]


async def test_an_interrupt_in_a_wrappers_cleanup_takes_the_cancellations_place(desk, events):
    def interrupted(event, ctx):
        try:
            yield
        finally:
            raise KeyboardInterrupt

    def broken(event, ctx):
        raise GeneratorExit

    wrap(desk, "turn_start", interrupted)
    desk.on("turn_start", broken)

    with pytest.raises(KeyboardInterrupt):
        await desk.emit(events.turn_start)
