import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pihost.tools.shell import _exit_watch
from pihost.tools.shell._output_pipe import OutputPipe
from pihost.tools.shell._process_table import ProcessRow, family, process_rows, rows_from_ps
from pihost.tools.shell.process import run_process


async def run(command, **options):
    output = bytearray()
    end = await run_process(
        ["/bin/sh", "-c", command], cwd=Path("/"), env=dict(os.environ), on_output=output.extend, **options
    )
    return end, bytes(output)


async def test_output_and_exit_code_come_back():
    end, output = await run("echo out; echo err >&2; exit 7")
    assert (end.returncode, end.timed_out, output) == (7, False, b"out\nerr\n")


async def test_it_works_where_the_system_has_no_handle_for_a_process(monkeypatch):
    monkeypatch.setattr(_exit_watch, "_process_handle", lambda _pid: None)
    end, output = await run("echo out; exit 7")
    assert (end.returncode, output) == (7, b"out\n")


async def test_a_pipe_can_be_read_in_a_thread():
    seen = bytearray()
    with OutputPipe(seen.extend, threaded=True) as pipe:
        os.write(pipe.write_end, b"a\n")
        pipe.start()
        await pipe.drain()
    assert seen == b"a\n"


async def test_a_large_output_arrives_whole():
    end, output = await run("head -c 5000000 /dev/zero")
    assert (end.returncode, len(output)) == (0, 5_000_000)


async def test_a_program_that_ends_when_told_is_not_waited_for():
    begun = time.monotonic()
    end, output = await run(
        "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done", timeout=0.4
    )
    assert end.timed_out
    assert output.startswith(b"ready\n")
    assert output.endswith(b"bye\n")
    assert time.monotonic() - begun < 1.2


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_what_cannot_be_started_raises_and_leaves_no_descriptor():
    before = descriptors()
    with pytest.raises(FileNotFoundError):
        await run_process(["/no/such"], cwd=Path("/"), env={}, on_output=print)
    assert descriptors() == before


def test_a_host_that_exits_takes_its_commands_along(tmp_path):
    code = f"""
import asyncio, os, sys
from pathlib import Path
from pihost.tools.shell.process import run_process

async def main():
    command = ["/bin/sh", "-c", "echo $$ > {tmp_path}/pid; sleep 60"]
    asyncio.create_task(run_process(command, cwd=Path("/"), env=dict(os.environ), on_output=print))
    while not os.path.exists("{tmp_path}/pid"):
        await asyncio.sleep(0.01)
    asyncio.get_running_loop().call_soon(sys.exit, 3)
    await asyncio.sleep(5)

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20)
    assert done.returncode == 3
    pid = int((tmp_path / "pid").read_text())
    assert pid not in {row.pid for row in process_rows() if not row.dead}


def row(pid, parent=1, group=1, session=1, started="0", *, dead=False):
    return ProcessRow(pid, parent, group, session, started, dead)


def test_a_family_is_group_session_and_descendants():
    rows = [
        row(10, group=10, session=10),
        row(11, group=10),
        row(12, session=10),
        row(13, parent=11),
        row(14, parent=13),
        row(15),
        row(16, parent=10, dead=True),
    ]
    assert [each.pid for each in family(rows, 10)] == [10, 11, 12, 13, 14]


def test_members_seen_before_count_though_their_parent_is_gone_but_not_whoever_has_their_number():
    known = [row(20, started="5"), row(21, started="5")]
    rows = [row(20, started="5"), row(21, started="9")]
    assert [each.pid for each in family(rows, 10, known)] == [20]


def test_this_process_is_in_the_table():
    mine = next(each for each in process_rows() if each.pid == os.getpid())
    assert (mine.parent, mine.group, mine.dead) == (os.getppid(), os.getpgrp(), False)


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="needs ps")
def test_ps_says_the_same():
    mine = next(each for each in rows_from_ps() if each.pid == os.getpid())
    assert (mine.parent, mine.group, mine.dead) == (os.getppid(), os.getpgrp(), False)


@pytest.mark.parametrize("calls", [20, pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
async def test_children_kills_and_floods_leave_nothing(calls, until):
    """Every command starts a child that outlives it; half are killed, some flood their output."""
    kinds = ["sleep 30 & wait", "yes & wait", "setsid sleep 30 & wait", "sleep 0.3 & echo done"]
    await run("true")
    before = descriptors(), set(asyncio.all_tasks()), threading.active_count()
    for start in range(0, calls, 10):
        batch = [run(kinds[n % 4], timeout=0.2) for n in range(start, min(start + 10, calls))]
        ends = await asyncio.gather(*batch)
        assert [end.timed_out for end, _ in ends] == [(start + n) % 4 != 3 for n in range(len(ends))]
    await until(lambda: (descriptors(), set(asyncio.all_tasks()), threading.active_count()) == before)
    await until(lambda: not [row for row in process_rows() if row.parent == os.getpid()])
