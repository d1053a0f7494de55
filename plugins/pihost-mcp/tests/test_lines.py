"""Lines out of a stream of bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pihost_mcp._lines import LineSplitter, LineTooLongError


@given(st.lists(st.binary(max_size=6)))
def test_lines_are_the_same_wherever_the_pieces_begin_and_end(pieces):
    splitter, data = LineSplitter(), b"".join(pieces)
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    assert lines == [line.removesuffix(b"\r") for line in data.split(b"\n")[:-1]]


def test_a_line_that_does_not_end_is_given_up():
    splitter = LineSplitter(limit=10)
    assert list(splitter.feed(b"0123456789\n0123456789")) == [b"0123456789"]
    with pytest.raises(LineTooLongError, match="longer than 10 bytes"):
        list(splitter.feed(b"0"))
