"""How tools of servers are called."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pihost_mcp._names import tool_name


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("github", "list_issues", "mcp__github__list_issues"),
        ("my files", "read/file.txt", "mcp__my_files__read_file_txt"),
        ("ü", "日本", "mcp_____" + "_"),
    ],
)
def test_a_name_says_both(server, tool, name):
    assert tool_name(server, tool) == name


def test_a_long_one_is_cut_and_told_apart_from_others():
    names = {tool_name("server", "t" * 100 + end) for end in "ab"}
    assert len(names) == 2
    assert all(len(name) == 64 and name.startswith("mcp__server__ttt") for name in names)


def test_one_that_is_taken_gets_another_every_time_the_same():
    taken = {"mcp__a__b"}
    assert tool_name("a", "b", taken) == tool_name("a", "b", taken) != "mcp__a__b"


@given(st.text(), st.text(), st.booleans())
def test_every_provider_takes_it(server, tool, taken):
    name = tool_name(server, tool, {tool_name(server, tool)} if taken else ())
    assert re.fullmatch(r"mcp__[A-Za-z0-9_-]{1,59}", name)
