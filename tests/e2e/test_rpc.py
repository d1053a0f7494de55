"""``pihost --mode rpc`` as another program has it: its streams, its end, what is told of the start."""

import contextlib
import json
import signal
import subprocess

import pytest

LIFE = """
from pathlib import Path

def note(event, ctx):
    with Path("life").open("a") as file:
        file.write(event.hook_name + "\\n")

def setup(api):
    api.on("session_start", note)
    api.on("session_shutdown", note)
"""
LOUD = """
import os, subprocess, sys
print("printed at import")
os.write(1, b"written at import\\n")

def setup(api):
    @api.on("tool_call")
    def loud(event, ctx):
        print("printed")
        os.write(1, b"written\\n")
        sys.__stdout__.write("underscored\\n")
        subprocess.run(["echo", "from a program"])
        sys.stderr.write(f"read {sys.stdin.read()!r}\\n")
"""
STATE = {"type": "get_state", "id": "state"}


@pytest.fixture
def life(project):
    project.extend("global", "life", LIFE)
    return lambda: (project.cwd / "life").read_text().split()


@pytest.fixture
def serve(project):
    """A server, killed at the end if need be."""
    with contextlib.ExitStack() as stack:

        def start(*arguments):
            server = subprocess.Popen(
                project.command("--mode", "rpc", *arguments),
                cwd=project.cwd,
                env={**project.env, "PIHOST_DISABLE_INSTALLED": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(server)
            stack.callback(server.kill)
            return server

        yield start


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def say(server, **record):
    server.stdin.write(json.dumps(record) + "\n")
    server.stdin.flush()


def until(server, kind):
    """Every record up to the first of a type."""
    records = []
    while not records or records[-1]["type"] != kind:
        records.append(json.loads(server.stdout.readline()))
    return records


def test_commands_that_came_before_the_end_of_the_input_are_answered(project, life):
    done = project.run("--mode", "rpc", stdin=lines(STATE, {"type": "get_commands"}))
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["type"], r["command"], r["success"]) for r in records] == [
        ("response", "get_state", True),
        ("response", "get_commands", True),
    ]
    assert (done.returncode, done.stderr) == (0, "")
    assert life() == ["session_start", "session_shutdown"]


def test_commands_may_come_from_a_file(project):
    (project.cwd / "commands").write_text(lines(STATE))
    with (project.cwd / "commands").open() as file:
        done = subprocess.run(
            project.command("--mode", "rpc"),
            cwd=project.cwd,
            env=project.env,
            stdin=file,
            capture_output=True,
        )
    assert json.loads(done.stdout)["id"] == "state"


def test_a_prompt_of_the_command_line_is_said_first(project, serve):
    server = serve("ls")
    assert until(server, "agent_settled")[0]["type"] == "agent_start"
    server.communicate(timeout=20)
    assert server.returncode == 0


def test_f03_closing_the_input_aborts_the_run_and_ends_in_order(serve, life):
    server = serve()
    say(server, type="prompt", text="bash: sleep 30")
    until(server, "tool_execution_start")
    out, err = server.communicate(timeout=20)
    assert [json.loads(line)["type"] for line in out.splitlines()][-1] == "agent_settled"
    assert (server.returncode, err) == (0, "")
    assert life() == ["session_start", "session_shutdown"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_f03_a_signal_ends_the_run_and_the_session_in_order(serve, life, number, code):
    server = serve()
    say(server, type="prompt", text="bash: sleep 30")
    until(server, "tool_execution_start")
    server.send_signal(number)
    assert server.wait(timeout=20) == code
    assert "Traceback" not in server.stderr.read()
    assert life() == ["session_start", "session_shutdown"]


def test_a_signal_does_not_wait_for_dialogs_of_the_end(project, serve):
    project.extend(
        "global",
        "ask",
        "def setup(api):\n"
        " @api.on('session_start')\n"
        " async def begin(event, ctx): await ctx.ui.input('Who?')\n"
        " @api.on('session_shutdown')\n"
        " async def end(event, ctx): await ctx.ui.confirm('Save?', 'Now?')",
    )
    server = serve()
    assert until(server, "extension_ui_request")[0]["method"] == "input"
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=20) == 143


def test_a_reader_that_is_gone_ends_it_quietly(serve, life):
    server = serve()
    server.stdout.close()
    for _ in range(3):
        with contextlib.suppress(BrokenPipeError):
            say(server, **STATE)
    assert server.wait(timeout=20) == 0
    assert server.stderr.read() == ""
    assert life() == ["session_start", "session_shutdown"]


def test_a_reader_that_does_not_read_does_not_keep_it_alive(project, serve, life):
    (project.cwd / "big.txt").write_text("x" * 200_000)
    server = serve()
    say(server, type="prompt", text="\n".join(["read big.txt"] * 20))
    say(server, type="prompt", text="bash: touch begun", streaming_behavior="follow_up")
    for _ in range(200):
        if (project.cwd / "begun").exists():
            break
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(0.1)
    server.stdin.close()
    assert server.wait(timeout=20) == 0
    assert life() == ["session_start", "session_shutdown"]


def test_nothing_but_the_protocol_is_on_stdout_whatever_extensions_do(project, serve):
    project.extend("global", "loud", LOUD)
    server = serve()
    say(server, type="prompt", text="ls")
    assert until(server, "agent_settled")
    out, err = server.communicate(timeout=20)
    assert out == ""
    for text in (
        "printed at import",
        "written at import",
        "printed",
        "written",
        "underscored",
        "from a program",
    ):
        assert f"{text}\n" in err
    assert "read ''" in err


def test_c02_an_extension_that_is_not_there_is_told_once(project):
    done = project.run("--mode", "rpc", "-e", "missing.py", stdin=lines(STATE))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("missing.py") == 1


def test_g02_a_project_without_trust_gives_one_warning_and_an_event(project, serve):
    project.extend("local", "mine", "raise RuntimeError('it ran')")
    server = serve()
    say(server, **STATE)
    records = until(server, "response")
    out, err = server.communicate(timeout=20)
    assert [r["type"] for r in records] == ["trust_refused", "response"]
    assert records[-1]["data"]["trusted"] is False
    assert err.count("Warning:") == 1
    assert ".pihost/extensions" in err
    assert "--approve" in err
    assert "trust_refused" not in out


def test_extensions_may_ask_the_client_but_not_about_trust(project, serve):
    project.extend("local", "mine", "def setup(api): ...")
    project.extend(
        "global",
        "asks",
        "from pathlib import Path\n"
        "def setup(api):\n"
        " api.on('project_trust', lambda e, c: Path('trust').write_text(str(c.has_ui)) and None)\n"
        " api.on('session_start', lambda e, c: Path('session').write_text(str(c.has_ui)) and None)",
    )
    serve().communicate(timeout=20)
    assert (project.cwd / "trust").read_text() == "False"
    assert (project.cwd / "session").read_text() == "True"


def test_json_mode_into_head_says_nothing_and_shuts_down(project, life):
    command = " ".join(project.command("--mode", "json", "'ls'"))
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"],
        cwd=project.cwd,
        env=project.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["type"] == "session"
    assert done.stderr == ""
    assert life() == ["session_start", "session_shutdown"]
