"""Faults of sessions that users hit, each row of the cases under its own name; real files and processes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

from pihost.content import TextContent
from pihost.messages import UserMessage
from pihost.session.errors import SessionFileError
from pihost.session.store import SessionStore

ROOT = Path(__file__).parents[2]
LIFE = """
from pathlib import Path
def setup(api):
    def note(event, ctx):
        with Path({log!r}).open("a") as file:
            file.write(f"{{event.hook_name}} {{event.reason}}\\n")
    api.on("session_start", note)
    api.on("session_shutdown", note)
"""


class Desk:
    """A project, a home, and the program there as processes of their own."""

    def __init__(self, root):
        self.cwd, self.home = root / "project", root / "home"
        for folder in (self.cwd, self.home / "extensions"):
            folder.mkdir(parents=True)
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PIHOST")},
            "PYTHONPATH": str(ROOT),
            "PIHOST_HOME": str(self.home),
            "NO_COLOR": "1",
            "PIHOST_DISABLE_INSTALLED": "1",
            "TERM": "dumb",
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        self.log = root / "log"
        (self.cwd / "README.md").write_text("hello\n")

    def start(self, *words, cwd=None, stdin=subprocess.DEVNULL):
        return subprocess.Popen(
            [sys.executable, "-m", "pihost", *map(str, words)],
            cwd=cwd or self.cwd,
            env=self.env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words, cwd=None):
        with self.start(*words, cwd=cwd) as process:
            out, err = process.communicate(timeout=60)
        assert "Traceback" not in err
        return process.returncode, out, err

    def watch_life(self):
        (self.home / "extensions" / "life.py").write_text(LIFE.format(log=str(self.log)))

    @property
    def life(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def files(self):
        return sorted(self.home.rglob("sessions/*/*.jsonl"))


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def types(file):
    return [json.loads(line)["type"] for line in file.read_text().splitlines()]


async def test_m01_of_parallel_tools_those_that_are_done_are_kept_after_an_abort(
    world, make_call, make_calling
):

    async def quick(_params, _ctx):
        return "done"

    async def hang(_params, _ctx):
        await asyncio.Event().wait()

    world.tools.add("quick", quick)
    world.tools.add("hang", hang)
    calls = [make_call("quick", "1"), make_call("hang", "2"), make_call("quick", "3")]
    world.answer(make_calling(*calls))
    task = asyncio.create_task(world.say("all three"))
    await world.until("tool_execution_end", 2)
    await world.session.abort()
    await task
    results = {m.tool_call_id: m for m in world.session.messages if m.role == "tool_result"}
    assert [results[key].text for key in "13"] == ["done", "done"]
    assert results["2"].is_error
    assert "aborted" in results["2"].text


async def test_m07_an_unknown_tool_and_wrong_arguments_are_results_to_act_on(world, make_call, make_calling):
    async def look(_params, _ctx):
        return "seen"

    world.tools.add("look", look)
    world.answer(make_calling(make_call("lok", "1"), make_call("look", "2", n="x")))
    await world.say("look")
    unknown, wrong = [m for m in world.session.messages if m.role == "tool_result"]
    assert (unknown.is_error, "look" in unknown.text) == (True, True)
    assert (wrong.is_error, "n" in wrong.text, "integer" in wrong.text) == (True, True, True)


@pytest.mark.parametrize("damage", ["torn", "joined", "padded"])
def test_n01_damage_costs_that_record_only_with_a_warning(desk, damage):
    desk.run("-p", "read README.md", "ls")
    (file,) = desk.files
    *before, last = file.read_bytes().splitlines(keepends=True)
    broken = {
        "torn": [*before, last[:-20]],
        "joined": [*before[:-1], before[-1].rstrip(b"\n"), last],
        "padded": [*before, last, b"\0" * 4096],
    }[damage]
    file.write_bytes(b"".join(broken))
    code, out, err = desk.run("-p", "-c", "read README.md")
    assert (code, out) == (0, "hello\n")
    assert f"{file}, line " in err
    lost = 1 if damage == "torn" else 0
    with SessionStore.open(file, desk.cwd) as store:
        assert len(store.messages()) == 12 - lost


class TestN04:
    def test_an_empty_file_becomes_a_new_session(self, desk):
        file = desk.cwd / "s.jsonl"
        file.touch()
        assert desk.run("-p", "--session", file, "ls")[0] == 0
        assert types(file)[0] == "session"

    def test_a_readme_is_refused_with_its_bytes_untouched(self, desk):
        code, _out, err = desk.run("-p", "--session", "README.md", "ls")
        assert code == 1
        assert "README.md cannot be opened as a session" in err
        assert (desk.cwd / "README.md").read_bytes() == b"hello\n"

    def test_a_directory_is_refused(self, desk):
        code, _out, err = desk.run("-p", "--session", ".", "ls")
        assert code == 1
        assert "directory" in err


def test_n05_a_fork_before_the_first_answer_and_a_second_one(desk):
    """The parent stays as it is, to the byte; each fork has one header, which names it."""
    (desk.cwd / "s.jsonl").touch()
    with SessionStore.open(desk.cwd / "s.jsonl", desk.cwd) as store:
        store.append_message(UserMessage(content=[TextContent(text="ls")]))
    parent = desk.cwd / "s.jsonl"
    before = parent.read_bytes()
    for _ in range(2):
        assert desk.run("-p", "--fork", parent, "read README.md")[:2] == (0, "hello\n")
    assert parent.read_bytes() == before
    assert len(desk.files) == 2
    for file in desk.files:
        headers = [json.loads(line) for line in file.read_text().splitlines() if '"session"' in line[:20]]
        assert [header["parent_session"] for header in headers] == [str(parent)]


def test_n05_forks_of_forks_inside_one_process(desk):
    code, out, _err = desk.run("-p", "ls", "/fork", "/name one")
    assert code == 0
    entry = next(line.split()[0] for line in out.splitlines() if line.endswith("  ls"))
    (parent,) = desk.files
    before = parent.read_bytes()
    code, _out, err = desk.run("-p", "-c", f"/fork {entry}", "ls", "/name two")
    assert (code, err) == (0, "")
    assert parent.read_bytes() == before
    assert [types(file).count("session") for file in desk.files] == [1, 1]


def test_n08_the_second_process_is_told(desk):
    desk.run("-p", "ls")
    (file,) = desk.files
    with desk.start("-p", "--session", file, "bash: sleep 30") as first:
        deadline = time.monotonic() + 30
        while file.read_text().count("sleep 30") < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        code, _out, err = desk.run("-p", "-c", "ls")
        first.terminate()
        first.communicate(timeout=30)
    assert code == 1
    assert f"{file} is in use" in err
    assert "Hint" in err


def test_n10_a_session_whose_directory_is_gone_names_it(desk, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    desk.run("-p", "ls", cwd=gone)
    (file,) = desk.files
    gone.rmdir()
    code, out, err = desk.run("-p", "--session", file, "ls")
    assert (code, out) == (1, "")
    assert str(gone) in err


class TestF03:
    """``session_shutdown`` exactly once for each session that started, whatever ends it."""

    @pytest.fixture(autouse=True)
    def watched(self, desk):
        desk.watch_life()

    @pytest.mark.parametrize("mode", [["-p"], ["--mode", "json"]])
    def test_print_and_json(self, desk, mode):
        assert desk.run(*mode, "ls")[0] == 0
        assert desk.life == ["session_start startup", "session_shutdown quit"]

    def test_a_failed_run(self, desk):
        assert desk.run("-p", "read missing.txt")[0] in (0, 1)
        assert desk.life == ["session_start startup", "session_shutdown quit"]

    def test_rpc(self, desk):
        with desk.start("--mode", "rpc", stdin=subprocess.PIPE) as process:
            process.communicate('{"type":"new_session","id":"1"}\n', timeout=60)
        assert process.returncode == 0
        assert desk.life == [
            *("session_start startup", "session_shutdown new"),
            *("session_start new", "session_shutdown quit"),
        ]

    def test_interactive(self, desk):
        child = pexpect.spawn(
            sys.executable, ["-m", "pihost"], cwd=str(desk.cwd), env=desk.env, encoding="utf-8", timeout=60
        )
        child.expect("> ")
        child.sendline("/quit")
        child.expect(pexpect.EOF)
        child.close()
        assert desk.life == ["session_start startup", "session_shutdown quit"]

    def test_sigterm_during_a_run(self, desk):
        with desk.start("-p", "bash: sleep 30") as process:
            deadline = time.monotonic() + 30
            while not desk.files or "sleep 30" not in desk.files[0].read_text():
                assert time.monotonic() < deadline
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
        assert process.returncode == 143
        assert desk.life == ["session_start startup", "session_shutdown quit"]

    def test_an_error_at_the_start_starts_no_session(self, desk):
        assert desk.run("-p", "--nope", "ls")[0] == 2
        assert desk.run("-p", "-e", "missing.py", "ls")[0] == 1
        assert desk.life == []

    def test_every_change_of_sessions(self, desk):
        assert desk.run("-p", "ls", "/new", "ls", "/new")[0] == 0
        assert desk.life == [
            "session_start startup",
            *("session_shutdown new", "session_start new") * 2,
            "session_shutdown quit",
        ]


def test_f06_a_session_of_another_project_brings_that_project(desk, tmp_path):
    """Its directory, its settings, its extensions: with that project's own trust."""
    other = tmp_path / "other"
    (other / ".pihost" / "extensions").mkdir(parents=True)
    (other / "HERE.md").write_text("over here\n")
    (other / ".pihost" / "settings.toml").write_text('exclude_tools = ["ls"]\n')
    (other / ".pihost" / "extensions" / "own.py").write_text(
        "from pathlib import Path\ndef setup(api):\n Path('ran').touch()\n"
        " api.register_command('own', handler=lambda a, c: None)\n"
    )
    assert desk.run("-p", "read HERE.md", cwd=other)[1] == "over here\n"
    (file,) = desk.files
    code, out, err = desk.run("-p", "-a", f"/resume {file}", "read HERE.md")
    assert (code, out.splitlines()[-1]) == (0, "over here")
    assert "is not trusted" in err
    assert not (other / "ran").exists()
    assert desk.run("trust", "allow", cwd=other)[0] == 0
    code, out, _err = desk.run("-p", f"/resume {file}", "/own", "- ls", "read HERE.md")
    assert (desk.cwd / "ran").exists()
    assert (code, out.splitlines()[-1]) == (0, "over here")
    with SessionStore.open(file, other) as store:
        assert store.cwd == other
        assert any("ls" in m.text and m.is_error for m in store.messages() if m.role == "tool_result")


class TestEveryCut:
    """A file cut anywhere in its last 4 KiB opens with every record that is whole."""

    @pytest.fixture
    def whole(self, tmp_path):
        with SessionStore.create(tmp_path / "s", tmp_path) as store:
            for number in range(60):
                store.append_message(UserMessage.from_text(f"{number} " + "ü" * (number * 7 % 90)))
            return store.file

    def check(self, file, data, cut):
        file.write_bytes(data[:cut])
        ends = [at for at in range(len(data)) if data[at : at + 1] == b"\n"]
        with SessionStore.open(file, file.parents[2]) as store:
            store.append_message(UserMessage.from_text("next"))
            texts = [message.text for message in store.messages()]
        assert len(texts) == sum(cut >= end for end in ends[1:]) + 1, cut
        assert texts[-1] == "next"
        assert [text.split()[0] for text in texts[:-1]] == [str(number) for number in range(len(texts) - 1)]

    def test_at_every_31st_byte(self, whole):
        data = whole.read_bytes()
        for cut in range(len(data) - 4096, len(data) + 1, 31):
            self.check(whole, data, cut)

    @pytest.mark.soak
    @pytest.mark.timeout(600)
    def test_at_every_byte(self, whole):
        data = whole.read_bytes()
        for cut in range(len(data) - 4096, len(data) + 1):
            self.check(whole, data, cut)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"from_the_future","id":"x","parent_id":null}\n',
        b"not a record at all\n",
        b'{"type":"session","version":1,"id":"again","timestamp":"t","cwd":"/"}\n',
        b"\xff\xfe\x00 binary \x01",
        b'{"type":"message","id":"y","parent_id":null,"timestamp":"t","message":{"role":"x"}}\n',
        b"[" * 5000 + b"\n",
    ],
)
def test_a_foreign_last_line_costs_itself_and_the_next_append_starts_afresh(tmp_path, line):
    with SessionStore.create(tmp_path / "s", tmp_path) as store:
        store.append_message(UserMessage.from_text("one"))
        file = store.file
    file.write_bytes(file.read_bytes() + line)
    with SessionStore.open(file, tmp_path) as store:
        assert [message.text for message in store.messages()] == ["one"]
        assert len(store.warnings) == 1
        store.append_message(UserMessage.from_text("two"))
    with SessionStore.open(file, tmp_path) as store:
        assert [message.text for message in store.messages()] == ["one", "two"]


def test_a_header_that_is_damaged_refuses_the_file_and_keeps_it(tmp_path):
    file = tmp_path / "s.jsonl"
    with SessionStore.open(file, tmp_path) as store:
        store.append_message(UserMessage.from_text("one"))
    data = b"#" + file.read_bytes()
    file.write_bytes(data)
    with pytest.raises(SessionFileError):
        SessionStore.open(file, tmp_path)
    assert file.read_bytes() == data
