"""Standard output carries the answer and nothing else, whatever extensions do to write there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOUD = """
import atexit, os, subprocess, sys

def shout(where):
    print(where, "print")
    sys.stdout.write(where + " write\\n")
    sys.stdout.buffer.write(b"buffer\\n")
    sys.__stdout__.write(where + " dunder\\n")
    sys.__stdout__.flush()
    os.write(1, b"descriptor\\n")
    subprocess.run(["echo", "program"])

shout("import")
atexit.register(shout, "exit")

def setup(api):
    shout("setup")
    api.on("session_start", lambda e, c: shout("start"))
    api.on("tool_call", lambda e, c: shout("call"))
    api.on("session_shutdown", lambda e, c: shout("end"))
    api.register_flag("loud", type="boolean", description="Say more")
"""
CLOSING = """
import sys
{0}.close()
def setup(api): ...
"""


@pytest.fixture
def process(pihost):
    """Run the command line as a process of its own: exit code, stdout, stderr."""

    def run(*words):
        command = [sys.executable, "-m", "pihost", *words]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


def test_in_print_mode(pihost, process):
    pihost.extend("loud", LOUD)
    code, out, err = process("-p", "read README.md")
    assert (code, out) == (0, "# A project\n")
    assert {f"{where} print" for where in ("import", "setup", "start", "call", "end", "exit")} <= set(
        err.splitlines()
    )


def test_in_json_mode_every_line_is_an_object(pihost, process):
    pihost.extend("loud", LOUD)
    code, out, err = process("--mode", "json", "read README.md")
    assert (code, json.loads(out.splitlines()[-1])["type"]) == (0, "agent_settled")
    assert all(isinstance(json.loads(line), dict) for line in out.splitlines())
    assert err.count("descriptor\n") == err.count("program\n") == 6


@pytest.mark.parametrize(
    "words", [("extensions", "list", "--json"), ("tool", "read", "path=README.md", "--json")]
)
def test_in_commands_that_print_json(pihost, process, words):
    pihost.extend("loud", LOUD)
    code, out, err = process(*words)
    assert code == 0
    assert json.loads(out)
    assert "setup print" in err.splitlines()


def test_in_the_help(pihost, process):
    pihost.extend("loud", LOUD)
    code, out, err = process("--help")
    assert (code, "descriptor" in out, "program" in err) == (0, False, True)
    assert "--loud" in out


def test_replacing_standard_output_loses_no_answer(pihost, process):
    pihost.extend("thief", "import io, sys\nsys.stdout = sys.__stdout__ = io.StringIO()\ndef setup(api): ...")
    code, out, err = process("-p", "read README.md")
    assert (code, out) == (0, "# A project\n")
    assert "Extension 'thief' changed the standard streams while it was loading" in err


@pytest.mark.parametrize(
    "stream", ["sys.stdout", "sys.__stdout__", "sys.stderr", "sys.__stderr__", "sys.stdin"]
)
def test_closing_a_stream_closes_nobody_elses(pihost, process, stream):
    pihost.extend("closing", CLOSING.format(stream))
    pihost.extend("failing", "def setup(api): api.on('input', lambda e, c: 1 / 0)")
    code, out, err = process("-p", "read README.md")
    assert (code, out) == (0, "# A project\n")
    assert "ZeroDivisionError" in err
    assert "Traceback" not in err


def test_in_process_the_streams_are_as_before(pihost, capfd):
    before = sys.stdout, os.fstat(1).st_ino
    pihost.extend("loud", LOUD.replace("atexit.register", "print"))
    code, out, _err = pihost("-p", "read README.md")
    assert (code, out) == (0, "# A project\n")
    assert (sys.stdout, os.fstat(1).st_ino) == before
