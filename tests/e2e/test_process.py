"""The process itself: signals, standard streams, start-up, planted modules."""

import signal
import subprocess
import time

import pytest

COUNT_ENDS = """
from pathlib import Path

def note(event, ctx):
    with Path("life").open("a") as file:
        file.write(event.hook_name + "\\n")

def setup(api):
    api.on("session_start", note)
    api.on("session_shutdown", note)
"""


@pytest.fixture
def life(project):
    project.extend("global", "life", COUNT_ENDS)
    return lambda: (project.cwd / "life").read_text().split()


@pytest.mark.parametrize("mode", ["text", "json"])
def test_f03_a_session_starts_and_ends_exactly_once(project, life, mode):
    assert project.run("--mode", mode, "-p", "ls").returncode == 0
    assert life() == ["session_start", "session_shutdown"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_f03_a_signal_ends_the_run_and_the_session_in_order(project, life, number, code):
    running = subprocess.Popen(
        project.command("-p", "bash: touch begun; sleep 30"),
        cwd=project.cwd,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 20
    while not (project.cwd / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(number)
    _out, err = running.communicate(timeout=20)
    assert running.returncode == code
    assert b"Traceback" not in err
    assert life() == ["session_start", "session_shutdown"]


def test_f03_an_error_at_the_start_starts_no_session(project, life):
    project.extend("global", "broken", "1/0")
    assert project.run("-p", "ls").returncode == 1
    assert not (project.cwd / "life").exists()


def test_what_a_checkout_planted_is_not_imported(project):
    for name in ("click", "attrs", "attr", "pluggy", "msgspec", "asyncio_planted", "tomllib"):
        project.write(f"{name}.py", "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()")
    done = project.run("-p", "ls")
    assert done.returncode == 0, done.stderr
    assert not list(project.cwd.glob("*.ran"))
