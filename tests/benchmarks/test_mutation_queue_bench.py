"""The queue's in-process line beside a lock per real path, and what the lock between processes adds."""

import asyncio
import os
import time
from statistics import median

import pytest

from pihost.tools.writing.mutation_queue import file_mutation_queue

pytestmark = pytest.mark.bench

ENTRIES = 10_000


async def enter_queue(paths, lock_dir=None):
    for path in paths:
        async with file_mutation_queue(path, lock_dir=lock_dir):
            pass


async def enter_locks(paths):
    locks = {}
    for path in paths:
        key = os.path.realpath(path)  # noqa: ASYNC240  (the floor does what the queue does)
        lock = locks.get(key)
        if lock is None:
            lock = locks[key] = asyncio.Lock()
        async with lock:
            pass


async def all_at_once(enter, paths):
    await asyncio.gather(*(enter([path]) for path in paths))


@pytest.fixture(params=[1, 1000], ids=["one file", "1,000 files"])
def paths(request, tmp_path):
    files = [tmp_path / f"f{number}" for number in range(request.param)]
    for file in files:
        file.touch()
    return [str(files[number % len(files)]) for number in range(ENTRIES)]


def test_in_process(side_by_side, request, paths):
    """Entries one after another."""
    ratio = side_by_side(
        f"10,000 entries, {request.node.callspec.id}",
        lambda: asyncio.run(enter_queue(paths)),
        lambda: asyncio.run(enter_locks(paths)),
        goal=1.2,
    )
    assert ratio > 0


def test_in_process_all_at_once(side_by_side, request, paths):
    """A task for every entry, all started before the first is done."""
    ratio = side_by_side(
        f"10,000 tasks, {request.node.callspec.id}",
        lambda: asyncio.run(all_at_once(enter_queue, paths)),
        lambda: asyncio.run(all_at_once(enter_locks, paths)),
        goal=1.2,
    )
    assert ratio > 0


def seconds(run):
    start = time.perf_counter()
    asyncio.run(run)
    return time.perf_counter() - start


def test_between_processes(capsys, request, paths, tmp_path):
    """What the lock file adds to an entry; files and lock files are there already."""
    locks = tmp_path / "locks"
    asyncio.run(enter_queue(paths, locks))
    turns = [(seconds(enter_queue(paths)), seconds(enter_queue(paths, locks))) for _ in range(7)]
    without, with_lock = (median(times) / ENTRIES * 1e6 for times in zip(*turns, strict=True))
    with capsys.disabled():
        print(
            f"\n{request.node.callspec.id}: {with_lock:.1f} µs an entry with the lock, "
            f"{without:.1f} µs without, {with_lock - without:+.1f} µs (goal ≤ +20)",
            end="",
        )
    assert len(list(locks.iterdir())) == len(set(paths))
