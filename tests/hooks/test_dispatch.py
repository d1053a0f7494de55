"""The dispatch: order, isolation, what a running one sees of changes, how often failures are reported."""

import asyncio
import sys

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.events import AgentStartEvent, ToolCallResult, ToolResultPatch, TrustRefusedEvent
from pihost.hooks import HookTable

PLACES = ["tryfirst", "plain", "trylast"]


def fail(event, ctx):
    raise ValueError("boom")


def promise(function):
    """A plain function that gives the coroutine of an async one."""

    def handler(event, ctx):
        return function(event, ctx)

    return handler


# order


@given(
    handlers=st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(PLACES)), max_size=12),
    order=st.permutations("abcd"),
    late=st.integers(0, 12),
)
def test_order_is_place_then_extension_then_registration(handlers, order, late):
    """Whenever the order of the extensions is set, before, among or after the registrations."""
    table = HookTable(on_error=print, on_block=print)
    called = []
    for number, (extension, place) in enumerate(handlers):
        if number == late:
            table.set_order(order)
        options = {} if place == "plain" else {place: True}
        handler = lambda event, ctx, n=number: called.append(n)  # noqa: E731 -- the shortest way to bind n
        table.subscribe(extension, "agent_start", handler, **options)
    table.set_order(order)
    asyncio.run(table.emit(AgentStartEvent(), None))

    def key(number):
        extension, place = handlers[number]
        return PLACES.index(place), order.index(extension), number

    assert called == sorted(range(len(handlers)), key=key)


async def test_hookimpls_come_before_subscriptions_of_the_same_extension(desk, events):
    called = []
    desk.table.subscribe("ext", "turn_start", lambda event, ctx: called.append("subscribed"))
    desk.table.subscribe("earlier", "turn_start", lambda event, ctx: called.append("earlier"))
    desk.register(
        "ext",
        """
        from pihost.hooks import hookimpl

        @hookimpl
        def turn_start(): called.append("first")

        @hookimpl(specname="turn_start")
        def another(): called.append("second")
        """,
        called=called,
    )
    desk.table.set_order(["earlier", "ext"])

    await desk.emit(events.turn_start)

    assert called == ["earlier", "first", "second", "subscribed"]


async def test_extensions_without_a_place_come_after_as_they_came(desk, events):
    called = []
    for name in "xyz":
        desk.table.subscribe(name, "turn_start", lambda event, ctx, n=name: called.append(n))

    desk.table.set_order(["z", "nobody"])
    await desk.emit(events.turn_start)

    assert called == ["z", "x", "y"]


# sync and async


async def test_sync_and_async_handlers_mix(desk, events):
    called = []

    async def later(event, ctx):
        await asyncio.sleep(0)
        called.append("async")

    desk.on("turn_start", lambda event, ctx: called.append("sync"), later, promise(later))

    await desk.emit(events.turn_start)

    assert called == ["sync", "async", "async"]


async def test_an_async_answer_counts_like_any_other(desk, events):
    block = ToolCallResult(block=True)

    async def guard(event, ctx):
        await asyncio.sleep(0)
        return block

    desk.on("tool_call", promise(guard))

    assert await desk.emit(events.tool_call) is block


# isolation


@pytest.mark.parametrize(
    "error",
    [
        ValueError("boom"),
        SystemExit(2),
        GeneratorExit(),
        StopIteration("boom"),
        RecursionError(),
        asyncio.CancelledError(),
    ],
)
async def test_c03_whatever_a_handler_raises_is_its_own(desk, events, error):
    called = []

    def broken(event, ctx):
        raise error

    desk.on("turn_start", broken, lambda event, ctx: called.append("next"))

    assert await desk.emit(events.turn_start) is None
    assert called == ["next"]
    assert desk.reports == [("a", "turn_start")]
    assert desk.errors[0].error.startswith(type(error).__name__)


async def test_an_interrupt_passes_through(desk, events):
    def interrupted(event, ctx):
        raise KeyboardInterrupt

    desk.on("tool_call", interrupted)

    with pytest.raises(KeyboardInterrupt):
        await desk.emit(events.tool_call)
    assert desk.errors == []


@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
async def test_e05_a_handler_that_raises_blocks_the_call(desk, events, hook):
    called = []
    desk.on(hook, fail, lambda event, ctx: called.append(1))

    result = await desk.emit(getattr(events, hook))

    assert result == ToolCallResult(
        block=True, reason=f"Blocked: extension 'a' failed in {hook}: ValueError: boom"
    )
    assert desk.blocks == [("a", hook, result.reason)]
    assert called == []


async def test_a_handler_that_raises_refuses_the_users_command(desk, events):
    desk.on("user_bash", fail)

    result = await desk.emit(events.user_bash)

    assert result.result.text == "Refused: extension 'a' failed in user_bash: ValueError: boom"
    assert desk.blocks == [("a", "user_bash", result.result.text)]


async def test_e09_a_failure_in_one_dispatch_leaves_parallel_ones_alone(desk, events):
    async def second_only(event, ctx):
        await asyncio.sleep(0)
        if event.tool_call_id == "2":
            raise ValueError("boom")
        return ToolResultPatch(details="seen")

    desk.on("tool_result", second_only)
    results = await asyncio.gather(
        *[desk.emit(attrs.evolve(events.tool_result, tool_call_id=n)) for n in "123"]
    )

    assert [r.details for r in results] == ["seen", None, "seen"]
    assert len(desk.errors) == 1


async def test_the_traceback_begins_with_the_extensions_own_frame(desk, events):
    desk.register(
        "ext",
        """
        from pihost.hooks import hookimpl

        @hookimpl
        async def turn_start(ctx):
            deeper()

        def deeper():
            raise ValueError("boom")
        """,
    )

    await desk.emit(events.turn_start)

    lines = desk.errors[0].stack.splitlines()
    assert lines[1] == '  File "/extensions/ext.py", line 6, in turn_start'
    assert lines[2] == '  File "/extensions/ext.py", line 9, in deeper'
    assert lines[-1] == "ValueError: boom"


# how often


async def test_a_handler_that_fails_again_and_again_is_reported_twice(desk, events):
    desk.on("turn_start", fail)

    for _ in range(5):
        await desk.emit(events.turn_start)

    first, second = desk.errors
    assert first.error == "ValueError: boom"
    assert second.error.startswith("ValueError: boom (it has failed before")


@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final", "user_bash"])
async def test_gates_are_never_quiet(desk, events, hook):
    desk.on(hook, fail)

    for _ in range(5):
        await desk.emit(getattr(events, hook))

    assert [e.error for e in desk.errors] == ["ValueError: boom"] * 5
    assert len(desk.blocks) == 5


async def test_one_quiet_handler_does_not_hide_another(desk, events):
    desk.on("turn_start", fail)
    for _ in range(3):
        await desk.emit(events.turn_start)

    desk.on("turn_end", fail)
    await desk.emit(events.turn_end)

    assert desk.reports[2:] == [("a", "turn_end")]


async def test_a_removed_extension_starts_anew(desk, events):
    for _ in range(2):
        desk.on("turn_start", fail)
        for _ in range(3):
            await desk.emit(events.turn_start)
        desk.table.remove("a")

    assert len(desk.errors) == 4


# changes


async def test_e12_a_handler_that_unsubscribes_itself_disturbs_nothing(desk, events):
    called = []

    def once(event, ctx):
        called.append("once")
        unsubscribe()

    unsubscribe = desk.table.subscribe("a", "agent_end", once)
    desk.table.subscribe("b", "agent_end", lambda event, ctx: called.append("other"))

    await desk.emit(events.agent_end)
    await desk.emit(events.agent_end)
    unsubscribe()

    assert called == ["once", "other", "other"]


async def test_e12_a_running_dispatch_keeps_its_own_handlers(desk, events):
    called = []

    def add(event, ctx):
        desk.table.subscribe("new", "agent_end", lambda event, ctx: called.append("new"))
        desk.table.remove("b")

    desk.table.subscribe("a", "agent_end", add)
    desk.table.subscribe("b", "agent_end", lambda event, ctx: called.append("old"))

    await desk.emit(events.agent_end)
    assert called == ["old"]

    await desk.emit(events.agent_end)
    assert called == ["old", "new"]


async def test_removing_the_last_handler_leaves_nobody(desk, events):
    unsubscribe = desk.table.subscribe("a", "turn_start", fail)
    await desk.emit(events.turn_start)

    unsubscribe()

    assert not desk.table.has_handlers("turn_start")
    assert await desk.emit(events.turn_start) is None
    assert len(desk.errors) == 1


async def test_an_event_no_hook_receives_is_nothing_to_anybody(desk, tmp_path):
    assert await desk.emit(TrustRefusedEvent(cwd=tmp_path, step=6, reason="nobody to ask")) is None


async def test_a_handler_may_fire_events_itself(desk, events):
    async def outer(event, ctx):
        await desk.emit(events.turn_end)
        return ToolCallResult(block=True, reason=str(inner))

    inner = []
    desk.on("turn_end", lambda event, ctx: inner.append("called"))
    desk.on("tool_call", outer)

    assert (await desk.emit(events.tool_call)).reason == "['called']"


async def test_deep_recursion_costs_only_the_handler(desk, events):
    def endless(event, ctx):
        return endless(event, ctx)

    desk.on("turn_start", endless)

    await desk.emit(events.turn_start)

    assert desk.errors[0].error.startswith("RecursionError")
    assert len(desk.errors[0].stack) < 20 * sys.getrecursionlimit()
