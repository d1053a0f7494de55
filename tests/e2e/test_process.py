"""The process itself: signals, standard streams, start-up, planted modules."""

import os
import signal
import subprocess
import time

import pytest

COUNT_ENDS = """
from pathlib import Path

def note(event, ctx):
    with Path("life").open("a") as file:
        file.write(event.name + "\\n")

def setup(api):
    api.on("session_start", note)
    api.on("session_shutdown", note)
"""


@pytest.fixture
def life(project):
    project.extend("global", "life", COUNT_ENDS)
    return lambda: (project.cwd / "life").read_text().split()


@pytest.mark.parametrize("mode", ["text", "json"])
def test_a_session_starts_and_ends_exactly_once(project, life, mode):
    assert project.run("--mode", mode, "-p", "ls").returncode == 0
    assert life() == ["session_start", "session_shutdown"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_run_and_the_session_in_order(project, life, number, code):
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


def test_an_error_at_the_start_starts_no_session(project, life):
    project.extend("global", "broken", "1/0")
    assert project.run("-p", "ls").returncode == 1
    assert not (project.cwd / "life").exists()


def test_a_pipe_on_which_nothing_comes_does_not_hold_the_run_for_ever(project):
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            project.command("-p", "ls"),
            cwd=project.cwd,
            env=project.env,
            stdin=reading,
            capture_output=True,
            timeout=40,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == 0


def test_a_closed_standard_input_is_no_input(project):
    command = " ".join(project.command("-p", "ls")) + " <&-"
    done = subprocess.run(
        ["bash", "-c", command], cwd=project.cwd, env=project.env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_checkout_planted_is_not_imported(project):
    for name in ("click", "attrs", "attr", "pluggy", "msgspec", "asyncio_planted", "tomllib"):
        project.write(f"{name}.py", "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()")
    done = project.run("-p", "ls")
    assert done.returncode == 0, done.stderr
    assert not list(project.cwd.glob("*.ran"))


def test_help_lists_the_flags_of_extensions_under_their_name(project):
    code = "def setup(api):\n    api.register_flag('loudly', type='boolean', description='Say it loudly')"
    project.extend("global", "speaker", code)
    shown = project.run("--help").stdout
    assert "Options of speaker" in shown
    assert shown.index("Options of speaker") < shown.index("--loudly")


def test_a_flag_of_an_extension_reaches_it(project):
    code = """
def setup(api):
    api.register_flag("greeting", type="string", default="hi")
    @api.on("session_start")
    def started(event, ctx):
        from pathlib import Path
        Path("greeting").write_text(api.get_flag("greeting"))
"""
    project.extend("global", "greeter", code)
    assert project.run("--greeting", "hello", "-p", "ls").returncode == 0
    assert (project.cwd / "greeting").read_text() == "hello"
    assert project.run("-p", "ls").returncode == 0
    assert (project.cwd / "greeting").read_text() == "hi"
