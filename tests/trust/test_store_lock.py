"""Several processes and one store."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

from pihost.trust import ProjectTrustStore, TrustStoreError
from pihost.trust._store_lock import store_lock

STORE_MANY = """
import sys
from pihost.trust import ProjectTrustStore
home, who, count, patience = sys.argv[1:]
store = ProjectTrustStore(home, patience=float(patience))
for number in range(int(count)):
    store.set(f"/{who}/{number}", number % 2 == 0)
"""

HOLD = """
import sys, time
from pathlib import Path
from pihost.trust._store_lock import store_lock
with store_lock(Path(sys.argv[1]) / "trust.json.lock", patience=1):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def start(script, *arguments):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def holder(home):
    """Start a process that holds the lock for some seconds; it has it when this returns."""
    home.mkdir()
    started = []

    def hold(seconds):
        process = start(HOLD, home, seconds)
        started.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def store_from_many(home, *, processes, count):
    running = [start(STORE_MANY, home, who, count, 4) for who in range(processes)]
    for process in running:
        process.communicate()
    assert [process.returncode for process in running] == [0] * processes
    return {str(entry.path): entry.decision for entry in ProjectTrustStore(home).entries()}


def expected(processes, count):
    return {f"/{who}/{number}": number % 2 == 0 for who in range(processes) for number in range(count)}


def test_g11_processes_that_store_at_once_lose_nothing(home):
    """No file is there at the start."""
    assert store_from_many(home, processes=4, count=15) == expected(4, 15)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_g11_eight_processes_with_two_hundred_decisions_each_lose_nothing(home):
    assert store_from_many(home, processes=8, count=200) == expected(8, 200)


def kill_midway(home, moments):
    for number, moment in enumerate(moments):
        process = start(STORE_MANY, home, number, 100_000, 4)
        time.sleep(moment)
        process.kill()
        process.communicate()
        names = [str(entry.path) for entry in ProjectTrustStore(home).entries()]
        ProjectTrustStore(home).set(f"/after/{number}", decision=True)
        mine = sorted(int(name.rpartition("/")[2]) for name in names if name.startswith(f"/{number}/"))
        assert mine == list(range(len(mine)))


def test_g11_a_process_killed_while_it_stores_leaves_a_whole_file(home):
    """What it stored is there, and the next one is not kept waiting."""
    kill_midway(home, [0.4, 0.5])
    kept = json.loads((home / "trust.json").read_text())
    assert {"/after/0", "/after/1"} <= kept.keys()


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_hundred_kills_leave_a_whole_file_each_time(home):
    kill_midway(home, [random.uniform(0.2, 0.8) for _ in range(100)])
    assert len(ProjectTrustStore(home).entries()) >= 100


def test_g12_the_lock_of_a_dead_process_holds_nothing(store, holder):
    process = holder(60)
    process.send_signal(signal.SIGKILL)
    process.wait()
    began = time.monotonic()
    store.set("/w", decision=True)
    assert time.monotonic() - began < store._patience
    assert store.get("/w") is True


def test_g12_a_lock_that_is_given_up_in_time_is_waited_for(home, holder):
    holder(0.5)
    ProjectTrustStore(home, patience=30).set("/w", decision=True)
    assert ProjectTrustStore(home).get("/w") is True


def test_g12_a_lock_that_is_kept_is_an_error_that_names_its_holder(home, holder):
    process = holder(60)
    store = ProjectTrustStore(home, patience=0.3)
    with pytest.raises(TrustStoreError, match=re.escape(f"locked for 0.3 seconds by process {process.pid}")):
        store.set("/w", decision=True)
    assert not (home / "trust.json").exists()


def test_reading_needs_no_lock(home, holder, project):
    holder(60)
    (home / "trust.json").write_text(json.dumps({str(project): True}))
    assert ProjectTrustStore(home, patience=0.1).get(project) is True


def test_by_default_the_wait_ends_within_five_seconds(home):
    assert ProjectTrustStore(home)._patience < 5


def test_a_holder_that_left_no_name_is_another_process(home):
    """It was stopped between taking the lock and writing down who it is."""
    home.mkdir()
    lock = home / "trust.json.lock"
    with store_lock(lock, patience=1):
        os.truncate(lock, 0)
        with pytest.raises(TrustStoreError, match="by another process"), store_lock(lock, patience=0.05):
            pytest.fail("the lock was taken twice")


def test_waiting_goes_on_while_the_lock_changes_hands(home):
    """Each new holder is given the same patience."""
    home.mkdir()
    lock = home / "trust.json.lock"
    with store_lock(lock, patience=1):
        waiting = start(STORE_MANY, home, "late", 1, 0.8)
        for _ in range(20):
            time.sleep(0.1)
            with lock.open("r+b") as note:
                note.seek(1)
                note.write(b"%d %d" % (os.getpid(), time.monotonic_ns()))
        assert waiting.poll() is None
    waiting.communicate()
    assert ProjectTrustStore(home).get("/late/0") is True


def test_the_lock_file_is_the_users_own_and_no_link_is_followed(home, tmp_path):
    home.mkdir()
    target = tmp_path / "victim"
    target.write_text("mine")
    (home / "trust.json.lock").symlink_to(target)
    with pytest.raises(TrustStoreError):
        ProjectTrustStore(home).set("/w", decision=True)
    assert target.read_text() == "mine"


def test_an_error_within_the_block_gives_the_lock_up(home):
    home.mkdir()
    lock = home / "trust.json.lock"
    with pytest.raises(ZeroDivisionError), store_lock(lock, patience=1):
        raise ZeroDivisionError
    with store_lock(lock, patience=0.1):
        assert lock.stat().st_mode & 0o777 == 0o600
