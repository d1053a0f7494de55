"""What the README promises: steps in a prompt, run as real tool calls."""

import json

import pytest


def test_read_answers_with_the_files_text(project):
    done = project.run("-p", "read README.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "# A project\n\nIt has a few lines.\n", "")


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("grep 'few lines' .", "README.md:3: It has a few lines."),
        ('find "**/*.md"', "README.md"),
        ("ls", "README.md"),
        ("bash: echo one; echo two", "one\ntwo"),
        ('tool read {"path": "README.md", "limit": 1}', "# A project"),
    ],
)
def test_each_kind_of_step_answers_with_its_tools_text(project, step, expected):
    done = project.run("-p", step)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


def test_write_and_edit_change_files(project):
    done = project.run("-p", "write notes.txt: hello world\nedit notes.txt: hello => goodbye")
    assert done.returncode == 0, done.stderr
    assert (project.cwd / "notes.txt").read_text() == "goodbye world"


def test_several_steps_report_each_with_its_text(project):
    done = project.run("-p", "ls\nbash: echo hi\nread README.md")
    assert done.returncode == 0
    titles = [line for line in done.stdout.splitlines() if line in ("ls", "bash: echo hi", "read README.md")]
    assert titles == ["ls", "bash: echo hi", "read README.md"]
    assert "\nhi\n" in done.stdout
    assert done.stdout.endswith("It has a few lines.\n")


def test_the_first_failing_step_ends_the_run_with_exit_code_1(project):
    done = project.run("-p", "read missing.txt\nwrite notes.txt: never")
    assert done.returncode == 1
    assert "missing.txt" in done.stdout + done.stderr
    assert not (project.cwd / "notes.txt").exists()


def test_a_failing_step_that_may_fail_does_not_end_the_run(project):
    done = project.run("-p", "- read missing.txt\nwrite notes.txt: still")
    assert done.returncode == 0
    assert (project.cwd / "notes.txt").read_text() == "still"


def test_a_line_that_is_no_step_says_what_steps_there_are(project):
    done = project.run("-p", "please fix the bug")
    assert done.returncode == 1
    assert "language model" in done.stdout + done.stderr
    assert "read" in done.stdout + done.stderr


def test_json_mode_prints_the_header_and_then_every_event_as_a_line(project):
    done = project.run("--mode", "json", "read README.md")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert events[0]["type"] == "session"
    assert events[0]["cwd"] == str(project.cwd)
    types = [event["type"] for event in events]
    assert types[1] == "agent_start"
    assert types[-1] == "agent_settled"
    assert types.index("tool_execution_start") < types.index("tool_execution_end")
    assert not any(name.startswith(("context", "before_", "after_", "provider_")) for name in types)


def test_piped_input_alone_is_the_prompt(project):
    done = project.run("-p", stdin="read README.md\n")
    assert (done.returncode, done.stdout) == (0, "# A project\n\nIt has a few lines.\n")


def test_piped_input_beside_a_prompt_is_merged_into_it(project):
    done = project.run("-p", "read README.md", stdin="some data\n")
    assert done.returncode == 0
    (session,) = (project.home / ".pihost" / "sessions").rglob("*.jsonl")
    assert "some data" in session.read_text()


def test_an_attached_file_reaches_the_prompt(project):
    project.write("attached.txt", "the attached text\n")
    done = project.run("-p", "@attached.txt", "read README.md")
    assert done.returncode == 0
    (session,) = (project.home / ".pihost" / "sessions").rglob("*.jsonl")
    assert "the attached text" in session.read_text()


def test_one_tool_call_goes_through_the_pipeline(project):
    done = project.run("tool", "read", "path=README.md", "limit=1")
    assert done.returncode == 0
    assert done.stdout.startswith("# A project\n")


def test_one_tool_call_as_json_has_the_whole_result(project):
    done = project.run("tool", "bash", '{"command": "exit 3"}', "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert sorted(result) == ["content", "details", "is_error", "structured_content"]
    assert result["structured_content"]["exit_code"] == 3


def test_a_session_is_kept_and_continued(project):
    assert project.run("-p", "write a.txt: one").returncode == 0
    assert project.run("-p", "-c", "read a.txt").stdout == "one\n"
    (session,) = (project.home / ".pihost" / "sessions").rglob("*.jsonl")
    records = [json.loads(line) for line in session.read_text().splitlines()]
    prompts = [
        r["message"]["content"][0]["text"] for r in records if r.get("message", {}).get("role") == "user"
    ]
    assert prompts == ["write a.txt: one", "read a.txt"]


def test_without_a_session_nothing_is_kept(project):
    assert project.run("-p", "--no-session", "ls").returncode == 0
    assert not list((project.home / ".pihost").rglob("*.jsonl"))


def test_a_session_that_cannot_be_kept_is_told_after_the_answer(project):
    project.write(project.home / ".pihost" / "sessions", "a file where the directory should be")
    done = project.run("-p", "read README.md")
    assert (done.returncode, done.stdout) == (0, "# A project\n\nIt has a few lines.\n")
    assert done.stderr.count("Warning:") == 1
    assert "sessions" in done.stderr
