"""The form of the help is that of click, whose commands stand beside it."""

import os

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.cli._help_text import help_rows, section, usage
from pihost.cli._options import session_options

words = st.text("abcdefgh-", min_size=1, max_size=40).map(lambda word: f"--{word}")
texts = st.lists(st.text("abcdefgh.,", min_size=1, max_size=12), min_size=1, max_size=30).map(" ".join)


def test_the_usage_stands_in_one_column():
    assert list(usage("[A]", "B ...")) == ["Usage: pihost [A]", "       pihost B ..."]


@given(st.lists(st.tuples(words, texts), min_size=1, max_size=5))
def test_a_list_is_laid_out_as_click_does_it(rows):
    formatter = click.HelpFormatter(width=78)
    with formatter.section("Title"):
        formatter.write_dl(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        lines = list(section("Title", rows))
    assert lines == ["", *formatter.getvalue().rstrip("\n").split("\n")]


def test_options_are_worded_as_click_does_it():
    options = session_options()
    context = click.Context(click.Command("pihost", add_help_option=False))
    assert help_rows(options) == [option.for_click().get_help_record(context) for option in options]


def test_an_empty_list_has_no_title():
    assert list(section("Title", [])) == []


@pytest.mark.parametrize(("columns", "longest"), [("20", 50), ("60", 58), ("200", 78), ("x", 78)])
def test_lines_fit_the_terminal_and_are_never_wider_than_can_be_read(monkeypatch, columns, longest):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(os, "get_terminal_size", lambda _fd: os.terminal_size((80, 24)))
    lines = list(section("Title", [("--word", "a " * 200)]))
    assert longest - 2 <= max(map(len, lines)) <= longest
