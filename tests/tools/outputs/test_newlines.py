"""Counting newlines, in long lines and short ones."""

from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.outputs._newlines import count_newlines

LINES = st.lists(st.integers(0, 300), max_size=60)


@given(LINES, st.booleans())
def test_it_counts_what_is_there_whatever_the_length_of_lines(lengths, ended):
    data = b"\n".join(b"x" * length for length in lengths) + b"\n" * ended
    assert count_newlines(data) == data.count(b"\n")


@given(st.binary())
def test_it_counts_in_any_bytes(data):
    assert count_newlines(data) == data.count(b"\n")
