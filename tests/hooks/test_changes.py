import pytest

from pihost.events import ToolCallResult
from pihost.hooks.changes import changes_noted


async def keep(event, ctx):
    event.input.get("command")


async def change(event, ctx):
    event.input["nested"]["deep"] = [1]


def change_at_once(event, ctx):
    event.input["command"] = "rm"


async def test_who_changes_the_event_in_place_is_noted(desk, events):
    events.tool_call.input["nested"] = {}
    desk.on("tool_call", keep, change, change_at_once)
    with changes_noted() as names:
        await desk.emit(events.tool_call)
    assert names == ["b", "c"]


async def test_a_hookimpl_that_takes_only_the_event_is_noted_too(desk, events):
    desk.register(
        "impl",
        """
        from pihost.hooks import hookimpl

        @hookimpl
        def tool_call(event):
            event.input["command"] = "rm"
        """,
    )
    with changes_noted() as names:
        await desk.emit(events.tool_call)
    assert names == ["impl"]


async def test_answers_and_failures_are_what_they_are_without_it(desk, events):
    async def block(event, ctx):
        event.input["command"] = "rm"
        return ToolCallResult(block=True, reason="no")

    desk.on("tool_call", block)
    with changes_noted() as names:
        answer = await desk.emit(events.tool_call)
    assert (answer.reason, names) == ("no", ["a"])


async def test_nothing_is_noted_unless_asked_for(desk, events):
    desk.on("tool_call", change_at_once)
    with changes_noted() as names:
        pass
    await desk.emit(events.tool_call)
    assert names == []


@pytest.mark.parametrize("hook", ["tool_call_final", "tool_result"])
async def test_other_hooks_are_called_as_they_are(desk, events, hook):
    seen = []
    desk.on(hook, lambda event, ctx: seen.append(event))
    with changes_noted() as names:
        await desk.emit(getattr(events, hook))
    assert (len(seen), names) == (1, [])
