"""A process that dies while it writes: what it had written is there."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pihost.messages import UserMessage
from pihost.session.store import SessionStore
from pihost.session.transcript import sendable

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from pihost.messages import UserMessage
from pihost.session.store import SessionStore

file = Path(sys.argv[1])
with SessionStore.open(file, file.parent) as store:
    number = len(store.messages())
    while True:
        store.append_message(UserMessage.from_text(f"{number} " + "x" * (number % 3000)))
        number += 1
        print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_session_survives_the_death_of_its_process(tmp_path, seed):
    """Killed again and again, each time going on where it stood: every message told of is there, in order."""
    rng = random.Random(seed)
    file = tmp_path / "s.jsonl"
    told = 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, file],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
        ) as process:
            process.stdout.readline()
            time.sleep(rng.random() * 0.05)
            process.kill()
            told = int((process.stdout.read().splitlines() or [b"1"])[-1])
    with SessionStore.open(file, tmp_path) as store:
        numbers = [int(message.text.split()[0]) for message in store.messages()]
        store.append_message(UserMessage.from_text("after"))
        assert store.messages()[-1].text == "after"
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= told


def environment(root):
    values = {name: value for name, value in os.environ.items() if not name.startswith("PIHOST")}
    own = {"PYTHONPATH": str(ROOT), "PIHOST_HOME": str(root / "home"), "PIHOST_DISABLE_INSTALLED": "1"}
    return {**values, **own, "NO_COLOR": "1"}


def pihost(root, *words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "pihost", *words],
        cwd=root,
        env=environment(root),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def ended(process):
    with process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def stored(root):
    (file,) = (root / "home").rglob("sessions/*/*.jsonl")
    return file


def test_a_run_killed_in_the_middle_of_a_tool_goes_on_where_it_stood(tmp_path):
    """The call without a result is kept, and a request after it carries a result in its place."""
    (tmp_path / "README.md").write_text("hello\n")
    with pihost(tmp_path, "-p", "read README.md\nbash: echo $$ > pid; exec sleep 30") as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.communicate()
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    code, out, err = ended(pihost(tmp_path, "-p", "-c", "read README.md"))
    assert (code, out, err) == (0, "hello\n", "")
    with SessionStore.open(stored(tmp_path), tmp_path) as store:
        messages = store.messages()
        calls = [call.id for m in messages if m.role == "assistant" for call in m.tool_calls]
        results = [m.tool_call_id for m in messages if m.role == "tool_result"]
        assert len(calls) == len(results) + 1
        sent = sendable(messages)
        assert [m.tool_call_id for m in sent if m.role == "tool_result"] == calls
        assert any("the session ended before" in m.text for m in sent)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_killed_run_had_told_is_there_and_the_session_can_be_resumed(tmp_path, seed):
    """All but the last message told of, which may have been told a moment before it was stored."""
    rng = random.Random(seed)
    (tmp_path / "README.md").write_text("hello\n")
    recipe = "\n".join(["read README.md"] * 40)
    with pihost(tmp_path, "--mode", "json", recipe, bufsize=0) as process:
        told = 0
        for line in process.stdout:
            told += b'"type":"message_end"' in line
            if told >= 3 + rng.randrange(40):
                break
        process.kill()
        process.communicate()
    with SessionStore.open(stored(tmp_path), tmp_path) as store:
        assert len(store.messages()) >= told - 1
        assert store.warnings == ()
        count = len(store.messages())
    code, _out, err = ended(pihost(tmp_path, "-p", "-c", "read README.md"))
    assert (code, err) == (0, "")
    with SessionStore.open(stored(tmp_path), tmp_path) as store:
        assert len(store.messages()) == count + 4


def test_a_session_killed_after_going_to_another_entry_has_both_branches(tmp_path):
    """Where it stood is told by the last entry; nothing that was said is lost."""
    (tmp_path / "README.md").write_text("hello\n")
    ended(pihost(tmp_path, "-p", "ls", "read README.md"))
    with SessionStore.open(stored(tmp_path), tmp_path) as store:
        target = store.entries[3].id
    recipe = "bash: echo $$ > pid; exec sleep 30"
    with pihost(tmp_path, "-p", "-c", f"/tree {target}", recipe) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.communicate()
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    with SessionStore.open(stored(tmp_path), tmp_path) as store:
        texts = [message.text for message in store.messages()]
        assert texts[0] == "ls"
        assert "read README.md" not in texts
        assert any("read README.md" in e.message.text for e in store.entries if e.type == "message")
