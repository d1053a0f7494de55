"""The process ends, whatever of an extension does not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUBBORN = """
import asyncio

async def stubborn(ctx):
    (ctx.cwd / "running").touch()
    while True:
        try:
            await asyncio.sleep(0.05)
        except BaseException:
            pass

def setup(api):
    {registration}
"""
TASK = "api.on('session_start', lambda event, ctx: api.create_task(stubborn(ctx)) and None)"
HANDLER = "api.on('tool_call', lambda event, ctx: stubborn(ctx))"
BLOCKING = """
import time

def block(event, ctx):
    (ctx.cwd / "running").touch()
    time.sleep(60)

def setup(api):
    api.on("tool_call", block)
"""


@pytest.fixture
def start(pihost):
    """Start ``-p "ls"`` with a one-file extension, as a process of its own."""
    started = []

    def run(code):
        file = pihost.cwd / "ext.py"
        file.write_text(code)
        process = subprocess.Popen(
            [sys.executable, "-m", "pihost", "-e", str(file), "-p", "ls"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def running(process, cwd):
    deadline = time.monotonic() + 30
    while not (cwd / "running").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_task_that_swallows_every_cancellation_is_named_and_given_up(start):
    process = start(STUBBORN.format(registration=TASK))
    out, err = process.communicate(timeout=30)
    assert (process.returncode, "README.md" in out) == (0, True)
    assert "task 'ext: create_task' did not end within" in err
    assert "Traceback" not in err
    assert "destroyed" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_handler_that_swallows_every_cancellation_ends_with_the_second_signal(start, pihost, number):
    process = start(STUBBORN.format(registration=HANDLER))
    running(process, pihost.cwd)
    for _ in range(2):
        process.send_signal(number)
        time.sleep(0.2)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in err


def test_a_handler_that_blocks_ends_with_the_second_signal_and_without_a_traceback(start, pihost):
    process = start(BLOCKING)
    running(process, pihost.cwd)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "never retrieved" not in err
