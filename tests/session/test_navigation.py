"""Going on from another entry of a session."""

import asyncio

import pytest

from pihost.content import TextContent
from pihost.events import Cancel, TreeSummary
from pihost.messages import AssistantMessage
from pihost.session.errors import EntryNotFoundError, SessionBusyError, SessionClosedError


@pytest.fixture
async def talked(world):
    """A session in which two things were said."""
    for words in ("one", "two"):
        world.answer(AssistantMessage(content=[TextContent(text=f"answer to {words}")]))
        await world.say(words)
    return world


def said(world):
    return [entry for entry in world.session.entries if entry.type == "message"]


async def test_the_next_message_follows_the_entry_and_the_rest_is_a_branch(talked):
    first_answer = said(talked)[1].id
    change = await talked.session.navigate_tree(first_answer)
    assert (change.cancelled, change.text) == (False, None)
    assert talked.session.store.leaf_id == first_answer
    await talked.say("three")
    assert talked.texts() == ["one", "answer to one", "three", "done"]
    assert [e.message.text for e in said(talked)][:4] == ["one", "answer to one", "two", "answer to two"]


async def test_what_happens_is_told_with_both_ends(talked):
    events = []
    for name in ("session_before_tree", "session_tree"):
        talked.on(name, lambda event, ctx: events.append(event))
    old, target = talked.session.store.leaf_id, said(talked)[0].id
    await talked.session.navigate_tree(target)
    before, after = events
    assert (before.target_id, before.old_leaf_id) == (target, old)
    texts = [e.message.text for e in before.entries_to_summarize if e.type == "message"]
    assert texts == ["answer to one", "two", "answer to two"]
    assert (after.new_leaf_id, after.old_leaf_id, after.from_extension) == (target, old, False)


async def test_a_summary_of_what_was_left_is_the_first_the_model_reads_there(talked):
    talked.on("session_before_tree", lambda e, c: TreeSummary(summary="it failed", details={"n": 1}))
    events = []
    talked.on("session_tree", lambda event, ctx: events.append(event))
    target = said(talked)[0].id
    await talked.session.navigate_tree(target)
    entry = talked.session.store.branch()[-1]
    assert (entry.type, entry.parent_id, entry.message.details) == ("custom_message", target, {"n": 1})
    assert "it failed" in talked.texts()[-1]
    assert (events[0].new_leaf_id, events[0].from_extension) == (entry.id, True)


async def test_whoever_cancels_keeps_the_session_where_it_is(talked):
    talked.on("session_before_tree", lambda e, c: Cancel(reason="no"))
    leaf = talked.session.store.leaf_id
    change = await talked.session.navigate_tree(said(talked)[0].id)
    assert (change.cancelled, change.reason) == (True, "no")
    assert talked.session.store.leaf_id == leaf


async def test_going_where_it_is_changes_and_tells_nothing(talked):
    called = talked.watch("session_before_tree", "session_tree")
    leaf = talked.session.store.leaf_id
    assert not (await talked.session.navigate_tree(leaf)).cancelled
    assert called == []


async def test_an_entry_that_is_not_there_is_an_error(talked):
    with pytest.raises(EntryNotFoundError, match="'nope'"):
        await talked.session.navigate_tree("nope")
    assert talked.session.is_idle


async def test_it_has_to_wait_for_a_run(talked):
    started = asyncio.Event()

    async def forever(_request):
        started.set()
        await asyncio.Event().wait()

    talked.answer(forever)
    run = asyncio.create_task(talked.say("three"))
    await started.wait()
    with pytest.raises(SessionBusyError):
        await talked.session.navigate_tree(said(talked)[0].id)
    await talked.session.abort()
    await run


async def test_no_run_begins_meanwhile_and_what_is_said_is_heard_afterwards(talked):
    """A message that came in between would stand on the branch that is left."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def slow(event, ctx):
        asked.set()
        await go.wait()

    talked.on("session_before_tree", slow)
    target = said(talked)[1].id
    going = asyncio.create_task(talked.session.navigate_tree(target))
    await asked.wait()
    with pytest.raises(SessionBusyError):
        await talked.say("too early")
    await talked.session.steer("meanwhile")
    go.set()
    await going
    await talked.session.wait_for_idle()
    assert talked.texts() == ["one", "answer to one", "meanwhile", "done"]


async def test_an_abort_keeps_the_session_where_it_is(talked):
    asked = asyncio.Event()

    async def slow(event, ctx):
        asked.set()
        await event.signal.wait()

    talked.on("session_before_tree", slow)
    leaf = talked.session.store.leaf_id
    going = asyncio.create_task(talked.session.navigate_tree(said(talked)[1].id))
    await asked.wait()
    await talked.session.abort()
    assert (await going).cancelled
    assert talked.session.store.leaf_id == leaf


async def test_a_session_that_has_ended_goes_nowhere(talked):
    await talked.session.shutdown()
    with pytest.raises(SessionClosedError):
        await talked.session.navigate_tree(said(talked)[0].id)
