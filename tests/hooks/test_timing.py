"""The times of handlers: how often, how long together, the longest and the last."""

import asyncio
import time

import pytest

from pihost.hooks import HookTable, Observer


@pytest.fixture
def watched():
    """A table whose handlers are timed, and how long they have taken by extension and hook."""
    observer = Observer(timing=True)
    table = HookTable(on_error=lambda error: None, on_block=lambda *block: None, observer=observer)
    return table, lambda: {(one.extension, one.hook): one for one in observer.times()}


async def slow(event, ctx):
    await asyncio.sleep(0.02)


def busy(event, ctx):
    time.sleep(0.02)


def promise(event, ctx):
    return slow(event, ctx)


async def failing(event, ctx):
    await slow(event, ctx)
    raise ValueError


def failing_at_once(event, ctx):
    raise ValueError


@pytest.mark.parametrize("handler", [slow, busy, promise, failing])
async def test_a_call_is_timed_to_its_end(watched, events, handler):
    table, times = watched
    table.subscribe("a", "turn_start", handler)
    await table.emit(events.turn_start, None)
    took = times()["a", "turn_start"]
    assert took.count == 1
    assert took.last_ms == took.max_ms == took.total_ms
    assert 15 < took.last_ms < 5000


async def test_calls_that_fail_count(watched, events):
    table, times = watched
    table.subscribe("a", "turn_start", failing_at_once)
    for _ in range(3):
        await table.emit(events.turn_start, None)
    assert times()["a", "turn_start"].count == 3


async def test_total_longest_and_last_of_several_calls(watched, events):
    table, times = watched
    pauses = iter((0.0, 0.03, 0.0))
    table.subscribe("a", "turn_start", lambda event, ctx: time.sleep(next(pauses)))
    for _ in range(3):
        await table.emit(events.turn_start, None)
    took = times()["a", "turn_start"]
    assert took.count == 3
    assert took.last_ms < 30 <= took.max_ms <= took.total_ms


async def test_times_are_kept_apart_by_extension_and_hook(watched, events):
    table, times = watched
    table.subscribe("a", "turn_start", slow)
    table.subscribe("b", "turn_start", failing_at_once)
    table.subscribe("b", "turn_end", failing_at_once)
    await table.emit(events.turn_start, None)
    await table.emit(events.turn_end, None)
    assert list(times()) == [("a", "turn_start"), ("b", "turn_start"), ("b", "turn_end")]
    assert times()["b", "turn_start"].max_ms < times()["a", "turn_start"].max_ms


async def test_a_change_of_the_handlers_forgets_no_time(watched, events):
    table, times = watched
    table.subscribe("a", "turn_start", busy)
    await table.emit(events.turn_start, None)
    table.subscribe("b", "turn_start", busy)
    await table.emit(events.turn_start, None)
    assert times()["a", "turn_start"].count == 2


async def test_the_times_of_an_extension_go_with_it(watched, events):
    table, times = watched
    table.subscribe("a", "turn_start", busy)
    await table.emit(events.turn_start, None)
    table.remove("a")
    assert times() == {}


async def test_a_wrapper_is_timed_without_what_it_wraps(watched, events, wrapper):
    table, times = watched
    table.register("outer", wrapper)
    table.subscribe("a", "turn_start", slow)
    await table.emit(events.turn_start, None)
    took = times()
    assert took["outer", "turn_start"].count == 1
    assert took["outer", "turn_start"].total_ms < took["a", "turn_start"].total_ms


async def test_answers_are_what_they_were_without_it(watched, events, blocking):
    table, _times = watched
    table.subscribe("a", "tool_call", blocking)
    assert (await table.emit(events.tool_call, None)).reason == "no"


async def test_a_handler_whose_time_is_up_is_timed(events):
    observer = Observer(timing=True)
    errors = []
    table = HookTable(
        on_error=errors.append, on_block=lambda *block: None, hook_timeout=0.05, observer=observer
    )

    async def endless(event, ctx):
        await asyncio.sleep(60)

    table.subscribe("a", "turn_start", endless)
    await table.emit(events.turn_start, None)
    assert len(errors) == 1
    assert observer.times()[0].count == 1


async def test_without_an_observer_a_plan_calls_the_functions_themselves(events):
    """Nothing stands between the dispatch and the handlers where nobody watches."""
    table = HookTable(on_error=print, on_block=print)
    table.subscribe("a", "turn_start", slow)
    await table.emit(events.turn_start, None)
    assert table._event_plans["turn_start"].calls == ((slow, True, False),)


async def test_a_wrapper_that_is_broken_off_is_timed_and_cleans_up(watched, events, module):
    table, times = watched
    cleaned = []
    table.register("outer", module(WRAPPER, cleaned=cleaned))
    table.subscribe("a", "turn_start", slow)
    task = asyncio.create_task(table.emit(events.turn_start, None))
    await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (cleaned, times()["outer", "turn_start"].count) == ([True], 1)


WRAPPER = """
from pihost import hookimpl

@hookimpl(wrapper=True)
def turn_start(event):
    try:
        return (yield)
    finally:
        cleaned.append(True)
"""
