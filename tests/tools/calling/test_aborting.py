import asyncio

import pytest

from pihost.context import AbortSignal
from pihost.tools.calling import aborting as aborting_module
from pihost.tools.calling.aborting import until_aborted


async def value():
    await asyncio.sleep(0)
    return 5


async def fail():
    raise ValueError("broken")


async def hang():
    await asyncio.Event().wait()


async def swallow():
    try:
        await hang()
    except asyncio.CancelledError:
        return "cleaned up"


def aborting(after=0.01):
    """A signal that is set after so many seconds."""
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(after, signal.abort)
    return signal


async def test_it_is_what_the_work_returns():
    assert await until_aborted(value(), AbortSignal()) == 5


async def test_it_raises_what_the_work_raises():
    with pytest.raises(ValueError, match="broken"):
        await until_aborted(fail(), AbortSignal())


async def test_without_a_signal_the_work_runs_to_its_end():
    assert await until_aborted(value(), None) == 5


async def test_an_abort_cancels_the_work():
    assert await until_aborted(hang(), aborting()) is None


async def test_an_abort_before_it_begins_cancels_the_work():
    signal = AbortSignal()
    signal.abort()
    assert await until_aborted(hang(), signal) is None


async def test_work_that_turns_its_cancellation_into_a_value_keeps_it():
    assert await until_aborted(swallow(), aborting()) == "cleaned up"


async def test_patient_work_may_end_by_itself_after_the_abort():
    async def last_words():
        await asyncio.sleep(0.05)
        return "done"

    assert await until_aborted(last_words(), aborting(), patience=5) == "done"


async def test_work_that_does_not_end_is_left_behind(monkeypatch):
    monkeypatch.setattr(aborting_module, "GRACE_SECONDS", 0.05)
    release = asyncio.Event()

    async def stubborn():
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        raise ValueError("nobody waits for this")

    assert await until_aborted(stubborn(), aborting()) is None
    release.set()
    await asyncio.sleep(0.01)


async def test_the_callers_own_cancellation_ends_the_work_and_goes_on():
    ended = asyncio.Event()

    async def work():
        try:
            await hang()
        finally:
            ended.set()

    caller = asyncio.create_task(until_aborted(work(), AbortSignal()))
    await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended.is_set()


async def test_work_that_cancels_itself_is_none():
    async def give_up():
        raise asyncio.CancelledError

    assert await until_aborted(give_up(), AbortSignal()) is None


async def test_nothing_is_left_running():
    await until_aborted(value(), AbortSignal())
    await until_aborted(hang(), aborting())
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
