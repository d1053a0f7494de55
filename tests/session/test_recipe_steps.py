import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.session._recipe_steps import STEPS_HELP, NotAStepError, parse_step, recipe_lines


def edit(old, new):
    return {"path": "a.py", "edits": [{"old_text": old, "new_text": new}]}


@pytest.mark.parametrize(
    ("line", "tool", "arguments"),
    [
        ("read README.md", "read", {"path": "README.md"}),
        ("read 'my notes.txt'", "read", {"path": "my notes.txt"}),
        ('grep "def main" src', "grep", {"pattern": "def main", "path": "src"}),
        ("grep TODO", "grep", {"pattern": "TODO"}),
        ("find **/*.py", "find", {"pattern": "**/*.py"}),
        ("find *.py src", "find", {"pattern": "*.py", "path": "src"}),
        ("ls docs", "ls", {"path": "docs"}),
        ("ls", "ls", {}),
        ("bash: pytest -q", "bash", {"command": "pytest -q"}),
        ('bash: echo "a: b" | cat', "bash", {"command": 'echo "a: b" | cat'}),
        ("write notes.txt: some text: more", "write", {"path": "notes.txt", "content": "some text: more"}),
        ("write 'my notes.txt':   indented", "write", {"path": "my notes.txt", "content": "  indented"}),
        ("write empty.txt:", "write", {"path": "empty.txt", "content": ""}),
        ("write C:\\x.txt: y", "write", {"path": "C:\\x.txt", "content": "y"}),
        ("edit a.py: old => new", "edit", edit("old", "new")),
        ("edit a.py: x = 'a' =>", "edit", edit("x = 'a'", "")),
        ('edit a.py: "a" => "b => c"', "edit", edit('"a"', '"b => c"')),
        ('tool word_count {"text": "a b"}', "word_count", {"text": "a b"}),
        ("tool ping", "ping", {}),
    ],
)
def test_each_step_is_a_tool_call(line, tool, arguments):
    step = parse_step(line)
    assert (step.tool, step.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("read", "the form is `read PATH`"),
        ("read a b", "what holds spaces is quoted"),
        ("read 'a", "No closing quotation"),
        ("grep", r"the form is `grep PATTERN \[PATH\]`"),
        ("find a b c", r"the form is `find PATTERN \[PATH\]`"),
        ("ls a b", r"the form is `ls \[PATH\]`"),
        ("bash:", "bash: takes a command"),
        ("write notes.txt", "the form is `write PATH: TEXT`"),
        ("write my notes.txt: x", "the form is `write PATH: TEXT`"),
        ("edit a.py: old -> new", "the form is `edit PATH: OLD => NEW`"),
        ("edit a.py:  => new", "the form is `edit PATH: OLD => NEW`"),
        ("tool", r"the form is `tool NAME \{json\}`"),
        ("tool x {'a': 1}", "the arguments are no JSON"),
        ("tool x [1]", "the arguments must be a JSON object"),
        ("please read README.md", "^$"),
        ("bash pytest", "^$"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line, fault):
    with pytest.raises(NotAStepError, match=fault):
        parse_step(line)


@pytest.mark.parametrize("line", STEPS_HELP.splitlines())
def test_every_line_of_the_help_is_a_step(line):
    assert parse_step(line.strip().replace("{json}", "{}")).tool


def test_blank_lines_and_comments_are_no_lines():
    assert recipe_lines("\n# first\n  ls  \r\n\n#ls\n- ls x\n") == ["ls", "- ls x"]


def test_attached_files_are_left_out():
    text = '<file name="a">\nbash: rm x\n</file>\nls\n'
    assert recipe_lines(text) == ["ls"]


def test_nothing_a_file_holds_can_end_it():
    """A file that contains the closing line must not smuggle steps in behind it."""
    text = '<file name="a">\n</file>\nbash: rm x\n</file>\nls\n'
    assert recipe_lines(text) == ["ls"]


PIECES = [
    "read",
    "write",
    "edit",
    "bash",
    "tool",
    "ls",
    " ",
    ":",
    ": ",
    "=>",
    "'",
    '"',
    "{",
    "}",
    "a",
    "\\",
    "é",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_line_is_a_step_or_is_refused(line):
    try:
        step = parse_step(line)
    except NotAStepError:
        return
    assert json.dumps(dict(step.arguments))
