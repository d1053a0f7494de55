"""What is told of every call of a handler: event, handler, answer, effect, one line each."""

import asyncio

import pytest

from pihost.content import TextContent
from pihost.events import ProjectTrustResult, ToolCallResult, ToolResultPatch
from pihost.hooks import HookTable, Observer


@pytest.fixture
def lines():
    return []


@pytest.fixture
def traced(lines):
    return HookTable(
        on_error=lambda error: None,
        on_block=lambda *block: None,
        hook_timeout=0.05,
        observer=Observer(trace=lines.append),
    )


async def nothing(event, ctx):
    return None


def blocks(event, ctx):
    return ToolCallResult(block=True, reason="no")


def patches(event, ctx):
    return ToolResultPatch(content=[TextContent(text="sk-very-secret")])


def raises(event, ctx):
    raise ValueError("sk-very-secret")


def patches_in_place(event, ctx):
    event.input["command"] = "changed"


async def endless(event, ctx):
    await asyncio.sleep(60)


CASES = {
    "none": ("turn_start", nothing, "turn_start → a (nothing) → None → passes on"),
    "blocks": (
        "tool_call",
        blocks,
        "→ ToolCallResult(block=True, reason='no', terminate=False) → refuses; later handlers are not called",
    ),
    "patches": (
        "tool_result",
        patches,
        "tool_result → a (patches) → ToolResultPatch(content=<list of 1>) → changes content",
    ),
    "in place": ("tool_call", patches_in_place, "→ None → changed input in place"),
    "raises": ("turn_start", raises, "turn_start → a (raises) → raised ValueError → reported"),
    "fails closed": (
        "tool_call",
        raises,
        "tool_call → a (raises) → raised ValueError → refuses; later handlers are not called",
    ),
    "no answer": ("input", lambda e, c: "text", "→ no answer: answered a value of type str; "),
    "ignored": ("turn_start", lambda e, c: 1, "→ 1 → ignored: answers to this hook count for nothing"),
    "late": (
        "turn_start",
        endless,
        "turn_start → a (endless) → failed: cancelled after the time limit of 0.05 s",
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_every_call_is_one_line(traced, lines, events, case):
    hook, handler, line = CASES[case]
    traced.subscribe("a", hook, handler)
    await traced.emit(getattr(events, hook), None)
    assert len(lines) == 1
    assert line in lines[0]
    assert "secret" not in lines[0]


async def test_a_wrapper_and_what_it_wraps(traced, lines, events, wrapper):
    traced.register("outer", wrapper)
    traced.subscribe("a", "turn_start", nothing)
    await traced.emit(events.turn_start, None)
    assert lines == [
        "turn_start → outer (turn_start) → wraps → the rest runs inside it",
        "turn_start → a (nothing) → None → passes on",
    ]


async def test_what_a_name_or_a_reason_holds_is_visible_and_short(traced, lines, events):
    traced.subscribe(
        "a\x1b[2J", "tool_call", lambda e, c: ToolCallResult(block=True, reason="\x1b" + "x" * 999)
    )
    await traced.emit(events.tool_call, None)
    (line,) = lines
    assert line.isprintable()
    assert len(line) < 250


async def test_nested_dispatches_do_not_take_each_others_names(traced, lines, events):
    async def outer(event, ctx):
        await traced.emit(events.turn_end, None)
        return ToolCallResult(block=True, reason="no")

    traced.subscribe("a", "tool_call", outer)
    traced.subscribe("b", "turn_end", nothing)
    await traced.emit(events.tool_call, None)
    assert [line.split(" (")[0] for line in lines] == ["turn_end → b", "tool_call → a"]


async def test_an_event_nobody_answers_is_no_line(traced, lines, events):
    await traced.emit(events.turn_start, None)
    assert lines == []


async def test_timing_and_telling_go_together(lines, events):
    observer = Observer(timing=True, trace=lines.append)
    table = HookTable(on_error=print, on_block=print, observer=observer)
    table.subscribe("a", "turn_start", nothing)
    await table.emit(events.turn_start, None)
    assert (len(lines), observer.times()[0].count) == (1, 1)


async def test_hooks_of_extensions_are_told_of_too(traced, lines, module):
    traced.add_hookspecs("maker", module(OWN))
    traced.subscribe("a", "polish", lambda text: text + "!")
    assert await traced.call("polish", {"text": "hi"}) == "hi!"
    assert lines == [
        "polish → a (test_hooks_of_extensions_are_told_of_too.<locals>.<lambda>) → <str of 3> → changes text"
    ]


async def test_the_first_answer_decides(traced, lines, events):
    traced.subscribe("a", "project_trust", lambda e, c: ProjectTrustResult(trusted="yes"))
    await traced.emit(events.project_trust, None)
    assert lines[0].endswith("→ decides; later handlers are not called")


async def test_what_a_wrapper_answers_is_told_of(traced, lines, events, module):
    traced.register("outer", module(ANSWERING))
    await traced.emit(events.tool_call, None)
    assert lines[0] == "tool_call → outer (tool_call) → wraps → the rest runs inside it"
    assert lines[1].startswith("tool_call → outer → ToolCallResult(block=True, reason='late'")


OWN = """
from pihost import hookspec

@hookspec("chain")
def polish(text): ...
"""
ANSWERING = """
from pihost import hookimpl
from pihost.events import ToolCallResult

@hookimpl(wrapper=True)
def tool_call(event):
    yield
    return ToolCallResult(block=True, reason="late")
"""
