"""Faults of the command line that users hit, each under its own name."""

import json
import os
import subprocess

import pytest

LIFE = """
def setup(api):
    api.on("session_shutdown", lambda event, ctx: (ctx.cwd / "ended").touch())
"""


def said(project):
    """The texts of the user's messages in the one session that was kept."""
    (file,) = (project.home / ".pihost" / "sessions").rglob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    messages = [r["message"] for r in records if r.get("message", {}).get("role") == "user"]
    return ["".join(part["text"] for part in message["content"]) for message in messages]


@pytest.mark.parametrize(
    ("words", "prompt"),
    [(["---\ntitle: x"], "---\ntitle: x"), (["--", "-x"], "-x"), (["--", "--nope"], "--nope")],
)
def test_o01_what_only_looks_like_an_option_is_a_prompt(project, words, prompt):
    project.run("-p", *words)
    assert said(project) == [prompt]


def test_o01_an_unknown_option_is_refused_with_the_near_names(project):
    done = project.run("-p", "--mdoel", "local/recipe", "ls")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--mdoel" in done.stderr
    assert "--model" in done.stderr
    assert not (project.home / ".pihost" / "sessions").exists()


def test_o02_piped_data_is_merged_into_the_prompt(project):
    assert project.run("-p", "ls", stdin="some data\n").returncode == 0
    (prompt,) = said(project)
    assert prompt.index("some data") < prompt.index("ls")


def test_o02_it_runs_with_standard_input_closed(project):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *project.command("-p", "read README.md")],
        cwd=project.cwd,
        env=project.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "# A project\n\nIt has a few lines.\n")


def test_o02_a_pipe_that_stays_open_and_silent_is_given_up(project):
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            project.command("-p", "read README.md"),
            cwd=project.cwd,
            env=project.env,
            stdin=reading,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout) == (0, "# A project\n\nIt has a few lines.\n")


def test_o05_a_reader_that_leaves_after_the_first_line(project):
    """No traceback, and the session ends in order."""
    project.extend("global", "life", LIFE)
    steps = "\n".join(["read README.md"] * 200)
    with subprocess.Popen(
        project.command("--mode", "json", steps),
        cwd=project.cwd,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert json.loads(process.stdout.readline())["type"] == "session"
        process.stdout.close()
        stderr = process.stderr.read()
        code = process.wait(60)
    assert (code, stderr) == (0, b"")
    assert (project.cwd / "ended").exists()
