"""The process: signals at every moment, streams that are closed, encodings that cannot say everything."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIFE = """
from pathlib import Path
def setup(api):
    api.on("session_start", lambda e, c: (c.cwd / "started").touch())
    api.on("session_shutdown", lambda e, c: (c.cwd / "ended").touch())
"""


@pytest.fixture
def start(pihost):
    """Start the command line as a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": ""}

    def run(*words, shell="", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **variables):
        command = [sys.executable, "-m", "pihost", *words]
        if shell:
            command = ["bash", "-c", f'"$@" {shell}', "bash", *command]
        return subprocess.Popen(
            command,
            env=env | variables,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    return run


def until(path):
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def ended(process):
    out, err = process.communicate(timeout=30)
    assert b"Traceback" not in err
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("blocks", ["time.sleep(60)", "await asyncio.sleep(60)"])
def test_a_signal_ends_a_start_that_is_still_loading(pihost, start, number, blocks):
    code = f"""
import asyncio, time
from pathlib import Path
async def setup(api):
    Path("loading").touch()
    {blocks}
"""
    pihost.extend("a", LIFE)
    pihost.extend("slow", code)
    process = start("-p", "ls")
    until(pihost.cwd / "loading")
    process.send_signal(number)
    assert ended(process)[0] == 128 + number
    assert not (pihost.cwd / "started").exists()


def test_a_signal_that_comes_twice_ends_what_does_not_end(pihost, start):
    code = """
import time
from pathlib import Path
def setup(api):
    @api.on("session_shutdown")
    def wait(event, ctx):
        Path("waiting").touch()
        time.sleep(60)
"""
    pihost.extend("stubborn", code)
    process = start("-p", "bash: touch begun; sleep 60")
    until(pihost.cwd / "begun")
    process.send_signal(signal.SIGINT)
    until(pihost.cwd / "waiting")
    process.send_signal(signal.SIGINT)
    assert ended(process)[0] == 130


def test_a_signal_while_standard_input_is_awaited_ends_the_session_in_order(pihost, start):
    pihost.extend("life", LIFE)
    reading, writing = os.pipe()
    process = start("-p", stdin=reading)
    os.close(reading)
    until(pihost.cwd / "started")
    process.terminate()
    assert ended(process)[0] == 143
    os.close(writing)
    assert (pihost.cwd / "ended").exists()


@pytest.mark.parametrize(
    "words", [["-p", "ls"], ["extensions", "list"], ["hooks"], ["tool", "ls"], ["--help"]]
)
def test_a_closed_pipe_ends_quietly_and_in_order(pihost, start, words):
    pihost.extend("life", LIFE)
    reading, writing = os.pipe()
    os.close(reading)
    process = start(*words, stdout=writing)
    os.close(writing)
    assert ended(process) == (0, None, b"")
    assert (pihost.cwd / "started").exists() == (pihost.cwd / "ended").exists()


def test_the_version_that_cannot_be_printed_is_an_error_in_a_line(pihost, start):
    with Path("/dev/full").open("w") as full:
        process = start("--version", stdout=full)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.startswith(b"Error: ")
    assert err.count(b"\n") == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_lose_nothing_but_what_went_there(pihost, start, closed):
    code, _out, err = ended(start("-p", "write a.txt: x", shell=closed))
    assert (code, err) == (0, b"")
    assert (pihost.cwd / "a.txt").read_text() == "x"
    (session,) = pihost.home.rglob("*.jsonl")
    assert session.read_bytes().startswith(b'{"type":"session"')


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}])
def test_what_the_terminals_encoding_cannot_say_is_shown_as_its_escape(pihost, start, variables):
    pihost.write("€.txt", "5 € \u200b\n")
    code, out, err = ended(start("-p", "read €.txt", **variables))
    assert (code, err) == (0, b"")
    assert out == b"5 \\u20ac \\u200b\n"


def test_a_lone_surrogate_does_not_keep_the_answer_from_being_printed(pihost, start):
    code = """
from pihost import TextContent
from pihost.events import ToolResultPatch
def setup(api):
    api.on("tool_result", lambda e, c: ToolResultPatch(content=[TextContent(text="a\\udc80b")]))
"""
    pihost.extend("odd", code)
    status, out, err = ended(start("tool", "ls"))
    assert (status, out, err) == (0, b"a\\udc80b\n", b"")
    assert ended(start("-p", "ls"))[0] == 0


def test_a_working_directory_that_is_gone_is_told(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    done = subprocess.run(
        ["bash", "-c", script, "bash", sys.executable, "-P", "-m", "pihost", "-p", "ls"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "the working directory is gone" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("words", "event"), [(["-p", "ls"], "agent_end"), (["tool", "ls"], "tool_call")])
def test_garbage_is_collected_while_work_is_done(pihost, start, words, event):
    """Only the start does without."""
    code = f"import gc\ndef setup(api): api.on({event!r}, lambda e, c: (c.cwd / str(gc.isenabled())).touch())"
    pihost.extend("asking", code)
    assert ended(start(*words))[0] == 0
    assert [(pihost.cwd / answer).exists() for answer in ("True", "False")] == [True, False]


def test_what_the_program_starts_with_is_not_looked_through_for_garbage(pihost, start):
    """A full look at it takes longer than a prompt of the recipe model."""
    code = "import gc\ndef setup(api): api.on('agent_end', lambda e, c: print(len(gc.get_objects())))"
    pihost.extend("counting", code)
    _code, _out, err = ended(start("-p", "ls"))
    assert int(err.split()[-1]) < 5_000
