"""What options say, checked, and as options of a host."""

from pathlib import Path

import pytest

from pihost.cli._arguments import UsageError, split
from pihost.cli._options import flag_names, flag_values, known_names, session_options
from pihost.cli._values import host_options, parse, working_directory
from pihost.config import ContinueSession, NewSession, NoSession, OpenSession
from pihost.extensions.registrations import RegisteredFlag


def options(*words):
    declared = session_options()
    return host_options(parse(declared, split(words, known_names(declared))), "print")


def test_without_options_a_new_session_begins_and_nothing_is_decided():
    plain = options()
    assert (plain.session, plain.trust_override, plain.tools, plain.model) == (NewSession(), None, None, None)


@pytest.mark.parametrize(
    ("words", "session"),
    [
        (["-c"], ContinueSession()),
        (["--no-session"], NoSession()),
        (["-n", "mine"], NewSession(name="mine")),
        (["--session", "/a/b"], OpenSession(file=Path("/a/b"))),
        (["--session", "b.jsonl"], OpenSession(file=Path.cwd() / "b.jsonl")),
    ],
)
def test_which_session(words, session):
    assert options(*words).session == session


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-c", "--no-session"], "exclude one another"),
        (["-a", "-na"], "contradict"),
        (["--session="], "--session needs a value"),
        (["-m", ""], "--model needs a value"),
        (["--mode", "xml"], "json"),
        (["--thinking", "hard"], "high"),
    ],
)
def test_what_makes_no_sense_is_told(words, message):
    with pytest.raises(UsageError, match=message):
        options(*words)


@pytest.mark.parametrize(
    ("words", "tools"), [(["-t", "read, ls,"], ("read", "ls")), (["-nt"], ()), (["-nt", "-t", "read"], ())]
)
def test_which_tools(words, tools):
    assert options(*words).tools == tools


@pytest.mark.parametrize(("words", "override"), [(["-a"], True), (["-na"], False)])
def test_trust_for_this_run(words, override):
    assert options(*words).trust_override is override


def test_what_may_be_given_again_adds_up():
    given = options("-e", "a.py", "--extension=b.py", "--disable", "x", "--disable", "y")
    assert (given.extension_paths, given.disabled) == (("a.py", "b.py"), ("x", "y"))


def flags():
    loud = RegisteredFlag(name="very-loud", extension="x", type="boolean")
    word = RegisteredFlag(name="the.word", extension="x", type="string", default="hi")
    return {"very-loud": loud, "the.word": word}


def test_flags_of_extensions_are_read_by_their_own_names():
    known = flag_names(flags())
    given = split(["--very-loud", "--the.word", "one", "--the.word=two"], known)
    assert flag_values(flags(), given) == {"very-loud": True, "the.word": "two"}


def test_flags_that_were_not_given_have_no_value():
    assert flag_values(flags(), split(["x"], flag_names(flags()))) == {}


def test_a_working_directory_that_is_gone_is_told(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="gone"):
        working_directory()


def test_every_option_is_the_same_to_click():
    """Subcommands and the help show through click what a session reads by itself."""
    for option in session_options():
        shown = option.for_click()
        assert (shown.name, tuple(shown.opts)) == (option.key, option.names)
        assert (shown.is_flag, shown.multiple) == (
            not option.takes_value and not option.takes_id,
            option.multiple,
        )
