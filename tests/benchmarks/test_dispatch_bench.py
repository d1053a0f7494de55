"""The real dispatcher, isolation and time limit on, beside a bare loop over the same handlers."""

import asyncio
from functools import partial
from types import ModuleType

import pytest

from pihost.events import TurnEndEvent, TurnStartEvent
from pihost.hooks import HookTable, hookimpl
from pihost.messages import AssistantMessage

pytestmark = pytest.mark.bench

EVENT = TurnStartEvent(turn_index=0, timestamp=0)
CALLS = 200_000


def handlers_of(kind, count):
    """Functions of their own, so that none is measured warmer than it would be."""
    if kind == "async":

        def make():
            async def handler(event, ctx):
                return None

            return handler
    else:

        def make():
            def handler(event, ctx):
                return None

            return handler

    return [make() for _ in range(count)]


def table_with(handlers):
    table = HookTable(on_error=print, on_block=print)
    for number, handler in enumerate(handlers):
        table.subscribe(f"extension-{number}", "turn_start", handler)
    return table


def event_only_extension():
    module = ModuleType("event_only")

    @hookimpl
    async def turn_start(event):
        return None

    module.turn_start = turn_start
    return module


async def bare_async(handlers, event, ctx):
    for handler in handlers:
        await handler(event, ctx)


async def bare_sync(handlers, event, ctx):
    for handler in handlers:
        handler(event, ctx)


async def nothing():
    pass


async def emit_often(table, event, times):
    for _ in range(times):
        await table.emit(event, None)


async def loop_often(bare, handlers, times):
    for _ in range(times):
        await bare(handlers, EVENT, None)


async def do_nothing_often(times):
    for _ in range(times):
        await nothing()


@pytest.fixture
def compare(side_by_side):
    """Compare two coroutine functions, both run on one loop."""
    with asyncio.Runner() as runner:

        def run(name, ours, floor, *, goal):
            return side_by_side(
                name, lambda: runner.run(ours()), lambda: runner.run(floor()), goal=goal, repeat=15
            )

        yield run


@pytest.mark.parametrize(
    ("kind", "count", "goal"),
    [("async", 10, 1.7), ("async", 100, 1.3), ("sync", 10, 2.2), ("sync", 100, 1.5)],
)
def test_handlers(compare, kind, count, goal):
    """Handlers that answer nothing, as nearly all do."""
    handlers = handlers_of(kind, count)
    bare = bare_async if kind == "async" else bare_sync

    ratio = compare(
        f"dispatch to {count} {kind} handlers",
        partial(emit_often, table_with(handlers), EVENT, CALLS // count),
        partial(loop_often, bare, handlers, CALLS // count),
        goal=goal,
    )

    assert ratio > 0


@pytest.mark.parametrize(("count", "goal"), [(10, 2.1), (100, 1.6)])
def test_handlers_that_take_only_the_event(compare, count, goal):
    handlers = handlers_of("async", count)
    table = HookTable(on_error=print, on_block=print)
    for number in range(count):
        table.register(f"extension-{number}", event_only_extension())

    ratio = compare(
        f"dispatch to {count} async handlers that take only the event",
        partial(emit_often, table, EVENT, CALLS // count),
        partial(loop_often, bare_async, handlers, CALLS // count),
        goal=goal,
    )

    assert ratio > 0


def test_an_event_nobody_answers(compare):
    """A hundred extensions are there, none of them minds this event."""
    table = table_with(handlers_of("async", 100))
    event = TurnEndEvent(turn_index=0, message=AssistantMessage())

    ratio = compare(
        "an event nobody answers",
        partial(emit_often, table, event, CALLS),
        partial(do_nothing_often, CALLS),
        goal=1.8,
    )

    assert ratio > 0
