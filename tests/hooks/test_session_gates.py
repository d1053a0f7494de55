"""The gates of a session: who cancels, whose proposal counts."""

import asyncio

import pytest

from pihost.events import Cancel, Compaction, TreeSummary

GATES = ["session_before_switch", "session_before_fork", "session_before_tree", "session_before_compact"]


def compaction(summary):
    return Compaction(summary=summary, first_kept_entry_id="e")


@pytest.mark.parametrize("gate", GATES)
async def test_the_first_cancel_ends_the_dispatch(desk, events, gate):
    called = []
    desk.on(gate, lambda e, c: Cancel(reason="no"), lambda e, c: called.append(e))
    assert await desk.emit(getattr(events, gate)) == Cancel(reason="no")
    assert called == []


@pytest.mark.parametrize("gate", GATES)
async def test_a_handler_that_fails_is_reported_and_does_not_cancel(desk, events, gate):
    desk.on(gate, lambda e, c: 1 / 0)
    assert await desk.emit(getattr(events, gate)) is None
    assert desk.reports == [("a", gate)]


@pytest.mark.parametrize("gate", GATES)
async def test_a_handler_that_runs_out_of_time_cancels(quick, events, gate):
    """It may have been about to: for a gate, time that runs out means no."""

    async def slow(event, ctx):
        await asyncio.sleep(5)

    quick.on(gate, slow)
    answer = await quick.emit(getattr(events, gate))
    assert isinstance(answer, Cancel)
    assert "extension 'a'" in answer.reason


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("answer", [True, "no", {"reason": "x"}])
async def test_an_answer_of_another_class_is_reported_and_ignored(desk, events, gate, answer):
    desk.on(gate, lambda e, c: answer)
    assert await desk.emit(getattr(events, gate)) is None
    assert desk.reports == [("a", gate)]


async def test_the_last_compaction_is_used(desk, events):
    desk.on("session_before_compact", lambda e, c: compaction("one"), lambda e, c: compaction("two"))
    assert (await desk.emit(events.session_before_compact)).summary == "two"


async def test_a_cancel_after_a_compaction_still_cancels(desk, events):
    desk.on("session_before_compact", lambda e, c: compaction("one"), lambda e, c: Cancel(reason="no"))
    assert await desk.emit(events.session_before_compact) == Cancel(reason="no")


async def test_the_last_summary_of_a_branch_is_used(desk, events):
    desk.on("session_before_tree", *[lambda e, c, n=n: TreeSummary(summary=n) for n in ("one", "two")])
    assert (await desk.emit(events.session_before_tree)).summary == "two"


@pytest.mark.parametrize("summary", ["", "  ", None, 5])
async def test_an_empty_summary_is_reported_and_ignored(desk, events, summary):
    desk.on("session_before_compact", lambda e, c: compaction("one"), lambda e, c: compaction(summary))
    assert (await desk.emit(events.session_before_compact)).summary == "one"
    assert desk.reports == [("b", "session_before_compact")]
