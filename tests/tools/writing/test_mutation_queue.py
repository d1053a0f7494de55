"""The line of each file: order, errors, cancellation, re-entry, and which names share a line."""

import asyncio
import contextlib
import errno
import os
import pickle
import threading

import pytest

from pihost.tools.writing import mutation_queue
from pihost.tools.writing.mutation_queue import (
    MutationLockTimeoutError,
    MutationReentryError,
    file_mutation_queue,
)


@pytest.fixture(autouse=True)
def nothing_kept():
    """Whatever a test does, no line is left when it is over."""
    yield
    assert mutation_queue._lines == {}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text("0")
    return path


async def settle():
    """Let every other task run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


class Holder:
    """A task that holds a file until it is told to let go."""

    def __init__(self, path, error=None):
        self.entered = False
        self.left = asyncio.Event()
        self.right_after = lambda: None
        self._error = error
        self.task = asyncio.create_task(self._hold(path))

    async def _hold(self, path):
        async with file_mutation_queue(path):
            self.entered = True
            await self.left.wait()
            if self._error is not None:
                raise self._error
        self.right_after()

    async def finish(self):
        self.left.set()
        await self.task


async def shares_line(first, second):
    """Whether the second path waits while the first is held."""
    one = Holder(first)
    await settle()
    two = Holder(second)
    await settle()
    waited = not two.entered
    await one.finish()
    await two.finish()
    return waited


class TestOrder:
    async def test_entries_of_one_file_run_in_order_of_arrival_and_never_together(self, file):
        order = []

        async def enter(number):
            async with file_mutation_queue(file):
                order.append(number)
                await asyncio.sleep(0)
                assert order[-1] == number

        await asyncio.gather(*(enter(number) for number in range(50)))
        assert order == list(range(50))

    async def test_two_that_arrive_together_do_not_both_find_the_line_empty(self, file):
        """Both are started in one step of the loop, before either could finish entering."""
        holders = [Holder(file), Holder(file)]
        await settle()
        assert [holder.entered for holder in holders] == [True, False]
        for holder in holders:
            await holder.finish()

    async def test_different_files_do_not_wait_for_each_other(self, tmp_path):
        assert not await shares_line(tmp_path / "a", tmp_path / "b")

    async def test_a_late_comer_does_not_overtake_the_one_whose_turn_it_is(self, file):
        first, second = Holder(file), Holder(file)
        await settle()
        third = []
        first.right_after = lambda: third.append(Holder(file))  # the second has its turn, but has not run
        await first.finish()
        await settle()
        assert second.entered
        assert not third[0].entered
        await second.finish()
        await third[0].finish()

    async def test_edits_by_every_name_of_a_file_all_land_in_order(self, file, monkeypatch):
        """Fifty rounds by plain, dotted, absolute and linked names, one failing, one cancelled."""
        monkeypatch.chdir(file.parent)
        (file.parent / "link").symlink_to(file)
        names = ["f.txt", "./f.txt", str(file), "link"]

        async def append(number):
            async with file_mutation_queue(names[number % 4]):
                if number == 7:
                    raise ValueError
                text = await asyncio.to_thread(file.read_text)
                await asyncio.to_thread(file.write_text, f"{text},{number + 1}")

        tasks = [asyncio.create_task(append(number)) for number in range(50)]
        await settle()
        tasks[20].cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcomes[7]), type(outcomes[20])] == [ValueError, asyncio.CancelledError]
        landed = [0, *(number + 1 for number in range(50) if number not in {7, 20})]
        assert file.read_text() == ",".join(map(str, landed))


class TestFailure:
    async def test_an_exception_lets_the_next_in_and_reaches_the_caller(self, file):
        first, second = Holder(file, error=ValueError("mine")), Holder(file)
        await settle()
        with pytest.raises(ValueError, match="mine"):
            await first.finish()
        await settle()
        assert second.entered
        await second.finish()

    async def test_cancelling_the_holder_lets_the_next_in(self, file):
        first, second = Holder(file), Holder(file)
        await settle()
        first.task.cancel()
        await settle()
        assert second.entered
        await second.finish()

    async def test_a_cancelled_waiter_leaves_the_line(self, file):
        first, second, third = Holder(file), Holder(file), Holder(file)
        await settle()
        second.task.cancel()
        await settle()
        [waiting] = mutation_queue._lines.values()
        assert len(waiting) == 1
        await first.finish()
        await settle()
        assert (second.entered, third.entered) == (False, True)
        await third.finish()

    async def test_a_waiter_cancelled_just_as_its_turn_comes_passes_it_on(self, file):
        first, second, third = Holder(file), Holder(file), Holder(file)
        await settle()
        first.right_after = second.task.cancel
        await first.finish()
        await settle()
        assert (second.entered, third.entered) == (False, True)
        await third.finish()

    async def test_a_waiter_cancelled_in_the_same_step_as_the_holder_leaves_is_skipped(self, file):
        first, second, third = Holder(file), Holder(file), Holder(file)
        await settle()
        first.left.set()
        second.task.cancel()
        await settle()
        assert second.task.cancelled()
        assert third.entered
        await third.finish()

    async def test_a_waiter_cancelled_alone_after_the_holder_left_keeps_nothing(self, file):
        first, second = Holder(file), Holder(file)
        await settle()
        second.task.cancel()
        first.left.set()
        await settle()
        assert mutation_queue._lines == {}

    async def test_a_loop_of_links_is_an_error_and_blocks_nobody(self, tmp_path):
        (tmp_path / "a").symlink_to("b")
        (tmp_path / "b").symlink_to("a")
        with pytest.raises(OSError, match="symbolic links") as caught:
            async with file_mutation_queue(tmp_path / "a"):
                pytest.fail("entered")
        assert caught.value.errno == errno.ELOOP
        assert mutation_queue._lines == {}

    async def test_a_path_through_a_file_is_an_error(self, file):
        with pytest.raises(NotADirectoryError):
            async with file_mutation_queue(file / "below"):
                pytest.fail("entered")

    async def test_a_nul_in_the_path_is_an_error(self):
        with pytest.raises(ValueError, match="null"):
            async with file_mutation_queue("a\0b"):
                pytest.fail("entered")


class TestReentry:
    async def test_the_holder_entering_again_is_an_error_at_once(self, file):
        with pytest.raises(MutationReentryError, match=r"f\.txt is already held"):
            async with file_mutation_queue(file), file_mutation_queue(str(file)):
                pytest.fail("entered")

    async def test_the_error_names_the_path_as_it_was_given(self, file):
        link = file.parent / "link"
        link.symlink_to(file)
        async with file_mutation_queue(file):
            with pytest.raises(MutationReentryError) as caught:
                await file_mutation_queue(link).__aenter__()
        assert caught.value.path == str(link)

    async def test_a_task_started_inside_may_not_enter_while_it_is_held(self, file):
        async with file_mutation_queue(file):
            holder = Holder(file)
            with pytest.raises(MutationReentryError):
                await holder.task

    async def test_a_task_started_inside_may_enter_once_it_is_free(self, file):
        started = asyncio.Event()

        async def later():
            await started.wait()
            async with file_mutation_queue(file):
                return True

        async with file_mutation_queue(file):
            task = asyncio.create_task(later())
        started.set()
        assert await task

    async def test_a_task_started_inside_waits_for_a_later_holder(self, file):
        started = asyncio.Event()
        async with file_mutation_queue(file):

            async def later():
                await started.wait()
                async with file_mutation_queue(file):
                    pass

            task = asyncio.create_task(later())
        async with file_mutation_queue(file):
            started.set()
            await settle()
            assert not task.done()
        await task

    async def test_a_thread_started_inside_may_not_enter_in_a_loop_of_its_own(self, file):
        async def enter():
            async with file_mutation_queue(file):
                pass

        async with file_mutation_queue(file):
            with pytest.raises(MutationReentryError):
                await asyncio.to_thread(asyncio.run, enter())

    async def test_another_file_may_be_entered_inside(self, tmp_path):
        async with file_mutation_queue(tmp_path / "a"), file_mutation_queue(tmp_path / "b"):
            assert len(mutation_queue._lines) == 2

    async def test_a_file_may_be_entered_again_after_it_was_left(self, file):
        for _ in range(2):
            async with file_mutation_queue(file):
                assert len(mutation_queue._lines) == 1

    async def test_leaving_out_of_order_still_tells_what_is_held(self, tmp_path):
        one, two = file_mutation_queue(tmp_path / "a"), file_mutation_queue(tmp_path / "b")
        await one.__aenter__()
        await two.__aenter__()
        await one.__aexit__(None, None, None)
        async with file_mutation_queue(tmp_path / "a"):
            with pytest.raises(MutationReentryError):
                await file_mutation_queue(tmp_path / "b").__aenter__()
        await two.__aexit__(None, None, None)


class TestNames:
    async def test_symbolic_links_to_a_file_share_its_line(self, file):
        link = file.parent / "link"
        link.symlink_to(file)
        assert await shares_line(file, link)

    async def test_a_linked_directory_leads_to_the_same_line(self, tmp_path, file):
        (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
        assert await shares_line(tmp_path / "again" / "f.txt", file)

    async def test_hard_links_share_a_line(self, file):
        other = file.parent / "other"
        os.link(file, other)
        assert await shares_line(file, other)

    async def test_two_routes_to_a_missing_file_share_a_line(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "route").symlink_to("real")
        assert await shares_line(tmp_path / "real" / "new" / "f", tmp_path / "route" / "new" / "f")

    async def test_a_dangling_link_shares_the_line_of_what_it_would_be(self, tmp_path):
        (tmp_path / "link").symlink_to("missing")
        assert await shares_line(tmp_path / "link", tmp_path / "missing")

    async def test_a_file_keeps_its_line_when_its_holder_creates_it(self, tmp_path):
        path = tmp_path / "new" / "f"
        holder = Holder(path)
        await settle()
        path.parent.mkdir()
        path.write_text("made")
        late = Holder(path)
        await settle()
        assert not late.entered
        await holder.finish()
        await late.finish()

    async def test_a_file_keeps_its_line_when_its_holder_replaces_it(self, file):
        holder = Holder(file)
        await settle()
        (file.parent / "next").write_text("next")
        (file.parent / "next").replace(file)
        late = Holder(file)
        await settle()
        assert not late.entered
        await holder.finish()
        await late.finish()

    async def test_a_name_with_bytes_that_are_no_text_works(self, tmp_path):
        path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
        async with file_mutation_queue(path, lock_dir=tmp_path / "locks"):
            assert len(list((tmp_path / "locks").iterdir())) == 1


def test_a_second_loop_in_a_thread_does_not_share_the_line(file):
    """It counts as a second process: only the lock keeps it out."""
    inside = threading.Barrier(2, timeout=10)

    async def hold():
        async with file_mutation_queue(file):
            await asyncio.to_thread(inside.wait)
        return True

    done = []
    thread = threading.Thread(target=lambda: done.append(asyncio.run(hold())))
    thread.start()
    assert asyncio.run(hold())
    thread.join()
    assert done == [True]


async def test_many_entries_and_cancellations_in_any_order_keep_nothing(tmp_path):
    """Nothing is lost or stuck when every third of many waiters is cancelled at some moment."""
    done = []

    async def enter(number):
        async with file_mutation_queue(tmp_path / str(number % 3)):
            await asyncio.sleep(0)
            done.append(number)

    tasks = [asyncio.create_task(enter(number)) for number in range(150)]
    for number in range(0, 150, 3):
        await asyncio.sleep(0)
        tasks[149 - number].cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)
    assert len(done) == sum(not task.cancelled() for task in tasks)
    assert len(done) >= 100


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (MutationReentryError("a.txt"), "a.txt is already held here: waiting for it would never end."),
        (
            MutationLockTimeoutError("a.txt", 12, 2.5),
            "a.txt is being changed by process 12: not free after 2.5 s.",
        ),
        (
            MutationLockTimeoutError("a.txt", None, 30),
            "a.txt is being changed by another process: not free after 30 s.",
        ),
    ],
)
def test_errors_say_what_is_wrong_and_can_be_pickled(error, text):
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == text
    assert vars(again) == vars(error)
    assert error.hint
