"""Background children of shells that have ended: they live as long as the host, and no number is mistaken."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.tools.shell import process
from pihost.tools.shell._left_behind import LeftBehind
from pihost.tools.shell._process_table import process_rows
from pihost.tools.shell._process_tree import ProcessTree

HOST = """
import asyncio, os, sys
from pathlib import Path
from pihost.tools.shell.process import run_process

async def main():
    command = ["/bin/sh", "-c", sys.argv[1]]
    await run_process(command, cwd=Path(sys.argv[2]), env=dict(os.environ), on_output=lambda data: None)

asyncio.run(main())
"""


def living():
    return {row.pid for row in process_rows() if not row.dead}


def host(command, directory):
    """Run a host that runs one command and exits; the number that the command has put into ``pid``."""
    subprocess.run([sys.executable, "-c", HOST, command, str(directory)], check=True, timeout=30)
    return int((directory / "pid").read_text())


def test_it_ends_with_the_host(tmp_path):
    assert host("sleep 60 & echo $! > pid", tmp_path) not in living()


def test_it_is_told_to_end_before_it_is_killed(tmp_path):
    child = "trap 'echo bye > told; exit' TERM\necho $$ > pid\nwhile :; do sleep 0.05; done\n"
    (tmp_path / "child").write_text(child)
    pid = host("sh child > log 2>&1 & while [ ! -s pid ]; do sleep 0.05; done", tmp_path)
    assert (tmp_path / "told").read_text() == "bye\n"
    assert pid not in living()


def test_one_that_does_not_listen_is_killed(tmp_path):
    assert host("trap '' TERM; sleep 60 & echo $! > pid", tmp_path) not in living()


@pytest.fixture
def sleeper():
    """A process that leads a group of its own."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeping:
        yield sleeping
        sleeping.kill()


def remembered(sleeper):
    tree = ProcessTree(sleeper.pid)
    left = LeftBehind()
    left.look(tree)
    return tree, left


def test_a_group_that_lives_is_remembered_and_ended(sleeper):
    _, left = remembered(sleeper)
    assert len(left) == 1
    left.end()
    assert len(left) == 0
    assert sleeper.wait(5) == -15


def test_a_number_given_again_is_left_alone(sleeper):
    """As if all that was seen had ended, and another program's group had got the same number."""
    tree, left = remembered(sleeper)
    tree._seen = [row._replace(started="long ago") for row in tree._seen]
    left.end()
    assert len(left) == 0
    assert sleeper.poll() is None


def test_a_group_that_has_ended_is_not_remembered(sleeper):
    sleeper.kill()
    sleeper.wait()
    _, left = remembered(sleeper)
    assert len(left) == 0


def descriptors():
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("calls", [20, pytest.param(200, marks=pytest.mark.soak)])
async def test_nothing_is_kept_of_children_that_have_ended(calls):
    async def run(command):
        env = dict(os.environ)
        await process.run_process(
            ["/bin/sh", "-c", command], cwd=Path("/"), env=env, on_output=lambda _data: None
        )

    before = descriptors()
    for _ in range(calls // 10):
        await asyncio.gather(*(run("sleep 0.3 > /dev/null 2>&1 &") for _ in range(10)))
    await asyncio.sleep(0.4)
    process._left_behind._forget_ended()
    assert len(process._left_behind) == 0
    assert descriptors() == before
