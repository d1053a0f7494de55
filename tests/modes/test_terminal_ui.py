"""Dialogs on a terminal, with keys from a pipe."""

import asyncio

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from pihost.display import visible
from pihost.modes.terminal_ui import TerminalUI


@pytest.fixture
def keys():
    """Somebody at the keyboard."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


@pytest.mark.parametrize(
    ("typed", "answer"), [("2\r", "b"), ("7\rx\r1\r", "a"), ("\r", None), ("\x04", None), ("\x03", None)]
)
async def test_one_of_several_is_chosen_by_its_number(keys, typed, answer):
    keys.send_text(typed)
    assert await TerminalUI().select("Which?", ["a", "b"]) == answer


async def test_where_there_is_nothing_to_choose_nobody_is_asked(keys):
    assert await TerminalUI().select("Which?", []) is None


@pytest.mark.parametrize(
    ("typed", "answer"), [("y\r", True), ("YES\r", True), ("no\r", False), ("\r", False), ("\x04", False)]
)
async def test_anything_but_yes_is_no(keys, typed, answer):
    keys.send_text(typed)
    assert await TerminalUI().confirm("Title", "Really?") is answer


@pytest.mark.parametrize("placeholder", ["", "a name", "<b> & \x1b[31m"])
async def test_a_line_of_text(keys, placeholder):
    keys.send_text("some text\r")
    assert await TerminalUI().input("Name", placeholder) == "some text"


async def test_two_questions_at_once_are_asked_one_after_the_other(keys):
    ui = TerminalUI()
    first = asyncio.create_task(ui.input("One"))
    second = asyncio.create_task(ui.input("Two"))
    await asyncio.sleep(0.05)
    keys.send_text("1\r")
    assert await first == "1"
    keys.send_text("2\r")
    assert await second == "2"


def test_notices_show_control_characters(capsys):
    ui = TerminalUI()
    ui.notify("a\x1b[31mb", "warning")
    ui.set_status("key", "text")
    ui.set_status("key", None)
    assert capsys.readouterr().err == "Warning: a\\x1b[31mb\nkey: text\n"


def test_what_is_visible_can_be_printed_anywhere():
    assert visible("a\tb\nc\udc80\u202e€") == "a\tb\nc\\udc80\\u202e€"


async def test_a_dialog_that_times_out_is_dismissed(keys):
    ui = TerminalUI()
    assert await ui.select("Which?", ["a"], timeout=0.05) is None
    assert await ui.confirm("Title", "Really?", timeout=0.05) is False
    assert await ui.input("Name?", timeout=0.05) is None
