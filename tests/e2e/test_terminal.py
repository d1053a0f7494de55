"""pihost on a terminal: the prompt loop and the question of trust, on a real pseudo-terminal."""

import pexpect
import pytest

pytestmark = pytest.mark.installs

MARK = "from pathlib import Path\nPath('ran').touch()\ndef setup(api): ..."
LIFE = """
from pathlib import Path

def note(event, ctx):
    with Path("life").open("a") as file:
        file.write(event.hook_name + "\\n")

def setup(api):
    api.on("session_start", note)
    api.on("session_shutdown", note)
"""


@pytest.fixture
def terminal(project):
    """Start pihost on a pseudo-terminal; it is closed after the test."""
    started = []

    def start(*arguments):
        command = project.command(*arguments)
        env = {**project.env, "PIHOST_DISABLE_INSTALLED": "1", "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
        child = pexpect.spawn(
            command[0],
            command[1:],
            cwd=str(project.cwd),
            env=env,
            encoding="utf-8",
            timeout=20,
            dimensions=(40, 120),
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def leave(child):
    """Press Ctrl-D until it ends: a dumb terminal shows the prompt a moment before keys are read."""
    for _attempt in range(20):
        child.sendcontrol("d")
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=1) == 0:
            return


def test_a_prompt_is_answered_and_the_end_of_input_leaves(project, terminal):
    child = terminal()
    child.expect("pihost> ")
    child.sendline("read README.md")
    child.expect("It has a few lines.")
    child.expect("pihost> ")
    leave(child)
    child.close()
    assert child.exitstatus == 0


def test_a_command_of_the_users_own_runs_and_is_told_to_the_model(project, terminal):
    child = terminal()
    child.expect("pihost> ")
    child.sendline("!echo from-the-shell")
    child.expect("from-the-shell\r\n")
    child.expect("pihost> ")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    (session,) = (project.home / ".pihost" / "sessions").rglob("*.jsonl")
    assert "from-the-shell" in session.read_text()


def test_the_user_is_asked_about_the_project_and_a_yes_is_kept(project, terminal):
    project.extend("local", "mine", MARK)
    child = terminal()
    child.expect("1. ")
    child.expect(r"dismiss\] ")
    assert not (project.cwd / "ran").exists()
    child.sendline("1")
    child.expect("pihost> ")
    leave(child)
    assert (project.cwd / "ran").exists()
    assert str(project.cwd) in (project.home / ".pihost" / "trust.json").read_text()


def test_a_dismissed_question_is_a_no_and_nothing_is_kept(project, terminal):
    project.extend("local", "mine", MARK)
    child = terminal()
    child.expect(r"dismiss\] ")
    child.sendline("")
    child.expect("pihost> ")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    assert not (project.cwd / "ran").exists()
    assert not (project.home / ".pihost" / "trust.json").exists()


@pytest.mark.parametrize(
    "words", [("-p", "read odd.txt"), ("tool", "read", "path=odd.txt")], ids=["print", "tool"]
)
def test_what_a_file_holds_does_not_steer_the_terminal(project, terminal, words):
    project.write("odd.txt", "\x1b]0;renamed\x07one\r\ntwo\n")
    child = terminal(*words)
    child.expect(pexpect.EOF)
    assert child.before.splitlines() == ["\\x1b]0;renamed\\x07one", "two"]
    assert project.run(*words).stdout.startswith("\x1b]0;renamed\x07one")


def test_resume_lets_the_user_pick_a_session_by_its_number(project, terminal):
    for prompt in ("read README.md", "ls"):
        project.run("-p", prompt)
    child = terminal("--resume")
    child.expect(r"1\. .*ls\r\n")
    child.expect(r"2\. .*read README\.md\r\n")
    child.expect(r"Which one \(1-2\)\? ")
    child.sendline("3")
    child.expect(r"Which one \(1-2\)\? ")
    child.sendline("2")
    child.expect("pihost> ")
    child.sendline("/tree")
    child.expect("read README.md")
    child.sendline("/name picked")
    child.expect("picked")
    child.expect("picked\r\n")
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    listed = project.run("sessions", "list").stdout
    assert sorted(line.split()[-1] for line in listed.splitlines()) == ["ls", "picked"]


@pytest.mark.parametrize("leaving", [leave, lambda child: child.sendline("/quit")], ids=["end", "quit"])
def test_f03_a_session_starts_and_ends_exactly_once(project, terminal, leaving):
    project.extend("global", "life", LIFE)
    child = terminal()
    child.expect("pihost> ")
    leaving(child)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert (project.cwd / "life").read_text().split() == ["session_start", "session_shutdown"]


@pytest.mark.parametrize("words", [("extensions", "list"), ("trust", "status"), ("--version",)])
def test_g05_what_only_looks_asks_nobody_and_imports_nothing(project, terminal, words):
    """On a terminal, where a session would ask: one that asked here would wait until the time is up."""
    project.extend("local", "mine", MARK)
    child = terminal(*words)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "dismiss]" not in child.before
    assert not (project.cwd / "ran").exists()
