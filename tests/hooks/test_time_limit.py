"""The time limit: who is cancelled, who is told, and whose cancellation it was."""

import asyncio
import time

import pytest

from pihost.events import ToolCallResult, TurnStartEvent
from pihost.hooks import HookTable

LIMIT = (
    "cancelled after the time limit of 0.05 s. "
    "Raise the setting hook_timeout, or do the long work in a task of its own."
)


async def hang(event, ctx):
    await asyncio.sleep(30)


def swallow(then):
    """A handler that does not let its cancellation through."""

    async def handler(event, ctx):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return then()

    return handler


def failing():
    raise RuntimeError("instead")


def pending():
    """How many cancellations the running task has not settled."""
    return asyncio.current_task().cancelling()


async def test_a_handler_past_its_limit_is_cancelled_and_the_next_one_runs(quick, events):
    called = []
    quick.on("turn_start", hang, lambda event, ctx: called.append("next"))

    await quick.emit(events.turn_start)

    assert called == ["next"]
    assert [(e.extension, e.error) for e in quick.errors] == [("a", LIMIT)]
    assert pending() == 0


@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
async def test_e05_running_out_of_time_blocks_the_call(quick, events, hook):
    quick.on(hook, hang)

    result = await quick.emit(getattr(events, hook))

    assert result.block
    assert result.reason == f"Blocked: extension 'a' failed in {hook}: {LIMIT}"
    assert quick.blocks == [("a", hook, result.reason)]


async def test_running_out_of_time_refuses_the_users_command(quick, events):
    quick.on("user_bash", hang)

    assert (await quick.emit(events.user_bash)).result.is_error


@pytest.mark.parametrize(
    "then", [lambda: None, ToolCallResult, lambda: ToolCallResult(block=False), failing, lambda: "text"]
)
async def test_a_handler_that_swallows_its_cancellation_has_still_run_out_of_time(quick, events, then):
    quick.on("tool_call", swallow(then))

    result = await quick.emit(events.tool_call)

    assert LIMIT in result.reason
    assert [e.error for e in quick.errors] == [LIMIT]
    assert pending() == 0


async def test_an_answer_that_comes_too_late_does_not_count(quick, events):
    quick.on("before_provider_request", swallow(lambda: {"late": True}))

    assert await quick.emit(events.before_provider_request) == {"model": "m"}


async def test_a_handler_that_will_not_end_is_cancelled_again(quick, events):
    cancelled = []

    async def stubborn(event, ctx):
        while len(cancelled) < 3:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                cancelled.append(1)

    quick.on("turn_start", stubborn)

    await quick.emit(events.turn_start)

    assert len(cancelled) == 3
    assert [e.error for e in quick.errors] == [LIMIT]
    assert pending() == 0


async def test_each_handler_has_the_whole_limit(quick, events):
    async def slowish(event, ctx):
        await asyncio.sleep(0.03)

    quick.on("turn_start", *[slowish] * 4)

    await quick.emit(events.turn_start)

    assert quick.errors == []


async def test_nobody_is_cancelled_early_nor_much_too_late(quick, events):
    quick.on("turn_start", hang)
    start = time.monotonic()

    await quick.emit(events.turn_start)

    assert 0.05 <= time.monotonic() - start < 5


async def test_a_blocked_loop_ages_nobody(quick, events):
    async def short(event, ctx):
        await asyncio.sleep(0.02)

    quick.on("turn_start", short)
    running = asyncio.ensure_future(quick.emit(events.turn_start))
    await asyncio.sleep(0.01)
    time.sleep(0.3)  # noqa: ASYNC251 -- what a sync handler elsewhere may do to the loop

    await running

    assert quick.errors == []


async def test_a_dialog_stops_everybodys_clock(quick, events):
    async def asks(event, ctx):
        with quick.table.paused():
            await asyncio.sleep(0.25)

    quick.on("tool_call", asks)

    assert await quick.emit(events.tool_call) is None
    assert quick.errors == []


async def test_without_a_limit_nobody_is_cancelled(desk, events):
    async def slow(event, ctx):
        await asyncio.sleep(0.1)

    desk.on("turn_start", slow)

    await desk.emit(events.turn_start)

    assert desk.errors == []


async def test_an_awaitable_from_a_plain_function_has_a_limit_too(quick, events):
    def plain(event, ctx):
        return hang(event, ctx)

    quick.on("turn_start", plain)

    await quick.emit(events.turn_start)

    assert [e.error for e in quick.errors] == [LIMIT]


# the caller's own cancellation


async def start(coroutine):
    task = asyncio.ensure_future(coroutine)
    await asyncio.sleep(0.01)
    return task


@pytest.mark.parametrize("hook", ["turn_start", "tool_call"])
async def test_the_callers_cancellation_passes_through(desk, events, hook):
    called = []
    desk.on(hook, hang, lambda event, ctx: called.append("next"))
    task = await start(desk.emit(getattr(events, hook)))

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert (called, desk.errors, desk.blocks) == ([], [], [])


async def test_a_handler_cannot_swallow_the_callers_cancellation(desk, events):
    desk.on("turn_start", swallow(lambda: None))
    task = await start(desk.emit(events.turn_start))

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_timeout_around_the_dispatch_is_the_callers(quick, events):
    quick.on("turn_start", hang)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await quick.emit(events.turn_start)

    assert quick.errors == []
    assert pending() == 0


async def test_the_caller_cancels_while_the_handler_is_being_cancelled(quick, events):
    async def cleans_up(event, ctx):
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.2)

    quick.on("turn_start", cleans_up)
    task = await start(quick.emit(events.turn_start))
    await asyncio.sleep(0.1)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelling() == 1


async def test_a_dispatch_in_the_cleanup_of_a_cancelled_task_runs(quick, events):
    """As ``session_shutdown`` does."""
    called = []

    async def farewell(event, ctx):
        await asyncio.sleep(0)
        called.append("farewell")

    quick.on("session_shutdown", hang, farewell)

    async def session():
        try:
            await asyncio.sleep(30)
        finally:
            await quick.emit(events.session_shutdown)

    task = await start(session())
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert called == ["farewell"]
    assert quick.reports == [("a", "session_shutdown")]


async def test_a_handler_that_waits_for_a_cancelled_task_fails_by_itself(desk, events):
    """Nobody cancelled the dispatch: the error is the handler's."""

    async def waits(event, ctx):
        other = asyncio.ensure_future(asyncio.sleep(30))
        other.cancel()
        await other

    desk.on("tool_call", waits)

    result = await desk.emit(events.tool_call)

    assert result.reason == "Blocked: extension 'a' failed in tool_call: CancelledError"


async def test_the_outer_handler_is_the_one_whose_time_is_up(quick, events):
    """A handler that fires an event is as long at work as the handlers of that event."""

    async def outer(event, ctx):
        for _ in range(10):
            await quick.emit(events.turn_end)

    async def inner(event, ctx):
        await asyncio.sleep(0.02)

    quick.on("turn_start", outer)
    quick.on("turn_end", inner)

    await quick.emit(events.turn_start)

    assert quick.reports == [("a", "turn_start")]
    assert pending() == 0


# the watchdog itself


async def test_many_dispatches_leave_nothing_behind(quick, events):
    async def short(event, ctx):
        await asyncio.sleep(0.001)

    quick.on("turn_start", short, short)

    await asyncio.gather(*[quick.emit(events.turn_start) for _ in range(50)])

    assert quick.table._watchdog._running == {}
    assert len(asyncio.all_tasks()) == 1


def test_a_table_moves_from_loop_to_loop():
    errors = []
    table = HookTable(on_error=errors.append, on_block=print, hook_timeout=0.05)
    table.subscribe("a", "turn_start", hang)

    for _ in range(2):
        asyncio.run(table.emit(TurnStartEvent(turn_index=0, timestamp=0), None))

    assert len(errors) == 2


async def test_a_closed_table_ends_no_handler(quick, events):
    async def slow(event, ctx):
        await asyncio.sleep(0.1)

    quick.on("turn_start", slow)
    running = await start(quick.emit(events.turn_start))

    quick.table.close()
    await running

    assert quick.errors == []
