"""Picking a session from the list on a terminal."""

import io
import sys

import pytest

from pihost.cli._arguments import UsageError
from pihost.cli._session_choice import session_choice
from pihost.config import OpenSession
from pihost.session import list_sessions


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def pick(pihost, monkeypatch):
    """Answer the question with these lines: the choice, and what was asked."""
    pihost("-p", "read README.md")
    pihost("-p", "-n", "named \x1b[31m", "ls")

    def answer(*lines):
        monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(sys, "stderr", Terminal())
        values = dict.fromkeys(("continue_", "resume", "session", "fork", "no_session", "name"))
        return session_choice({**values, "resume": True}), sys.stderr.getvalue()

    return answer


def test_a_number_picks_the_session_at_that_place(pick, pihost):
    newest, older = list_sessions(pihost.home / "sessions")
    assert pick("1")[0] == OpenSession(file=newest.file)
    assert pick("2")[0] == OpenSession(file=older.file)


def test_the_list_tells_name_or_first_words_and_obeys_none_of_them(pick):
    _choice, asked = pick("1")
    first, second = asked.splitlines()[:2]
    assert first.startswith("  1. ")
    assert "named \\x1b[31m" in first
    assert "read README.md" in second


def test_what_is_no_place_in_the_list_is_asked_again(pick):
    _choice, asked = pick("0", "3", "x", "-1", "2")
    assert asked.count("Which one (1-2)?") == 5


@pytest.mark.parametrize("lines", [[], [""], ["7", " "]])
def test_no_answer_chooses_none(pick, lines):
    with pytest.raises(UsageError, match="no session was chosen"):
        pick(*lines)


def test_a_directory_without_sessions_says_so(pick, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no session to go on with"):
        pick("1")
