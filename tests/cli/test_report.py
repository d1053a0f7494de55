"""What goes to stderr, and tables."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.cli._report import Reports, report_all, say
from pihost.diagnostics import Diagnostic
from pihost.display import visible
from pihost.tables import table


def fault(message, hint=None, level="error"):
    return Diagnostic(level=level, message=message, kind="load", hint=hint)


def test_control_characters_are_shown_and_not_obeyed(capsys):
    say("warning", "a\x1b]0;title\x07\x9bb\tc")
    assert capsys.readouterr().err == "Warning: a\\x1b]0;title\\x07\\x9bb\tc\n"


@given(st.text())
def test_what_is_visible_holds_no_control_character(text):
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in visible(text) if char not in "\n\t")


def test_no_line_of_a_message_reads_like_another_message(capsys):
    say("warning", "/app\nError: it is all wrong cannot be read")
    assert capsys.readouterr().err == "Warning: /app\n  Error: it is all wrong cannot be read\n"


def test_an_endless_entry_of_a_table_is_cut():
    (line, *more) = table([("broken", "x" * 5_000_000)], width=5000)
    assert line == f"broken  {'x' * 2001}…"
    assert more == []


@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("", True), ("1", False)])
def test_colour_is_for_terminals_and_no_color_is_respected(monkeypatch, capsys, no_color, coloured):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    say("error", "no")
    assert ("\x1b[31m" in capsys.readouterr().err) is coloured


def test_nobody_watching_gets_no_colour(capsys):
    say("error", "no")
    assert capsys.readouterr() == ("", "Error: no\n")


def test_a_hint_that_several_share_comes_once_after_them(capsys):
    report_all([fault("a", "mend"), fault("b", "other"), fault("c", "mend", "warning")])
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Error: a", "Error: b", "Warning: c", "Hint: other", "Hint: mend"]


LONG = "a text that is a good deal longer than what is left of a line of eighty characters, " * 2


def test_the_last_column_goes_on_below_itself():
    lines = list(table([("id", "global", LONG), ("other", "local", "short")], width=60))
    assert lines[-1] == "other  local   short"
    assert all(line.startswith(" " * 15) for line in lines[1:-1])


def test_a_long_entry_stands_on_its_own_line():
    lines = list(table([("x" * 40, "global", "text"), ("y", "local", "more")], width=80))
    assert lines[0] == f"{'x' * 40}  global"
    assert lines[1].strip() == "text"


@given(st.lists(st.tuples(st.text(max_size=24), st.text(max_size=10), st.text()), min_size=1))
def test_every_line_fits(rows):
    shown = [(visible(a)[:24], visible(b)[:10], c) for a, b, c in rows]
    assert all(len(line) <= 80 for line in table(shown, width=80))


def test_a_table_holds_no_control_characters():
    assert list(table([("a", "b\x1b[31m\nc")], width=80)) == ["a  b\\x1b[31m c"]


def test_what_is_found_again_is_not_told_again(capsys):
    reports, found = Reports(), [fault("a")]
    reports.look()
    reports.tell(found)
    reports.follow(lambda: found)
    found.append(fault("b"))
    reports.look()
    reports.look()
    assert capsys.readouterr().err.splitlines() == ["Error: a", "Error: b"]
