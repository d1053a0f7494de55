"""Bytes into lines: the same however they are cut, a record ending at a newline and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.protocol.lines import LineFault, LineSplitter


def split(*pieces, most=100):
    splitter = LineSplitter(most)
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    return lines, splitter.finish()


@pytest.mark.parametrize("end", [b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x85", "\u2028".encode(), b"\0"])
def test_nothing_but_a_newline_ends_a_line(end):
    assert split(b"a" + end + b"b\n") == ([b"a" + end + b"b"], None)


@given(st.binary(max_size=60), st.integers(1, 20))
def test_a_stream_cut_at_every_byte_is_the_same_lines(data, most):
    bytewise = [data[index : index + 1] for index in range(len(data))]
    assert split(*bytewise, most=most) == split(data, most=most)


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=8))
def test_each_newline_brings_one_line(lines):
    found, torn = split(b"".join(line + b"\n" for line in lines), most=10)
    assert torn is None
    assert [len(line) > 10 for line in lines] == [isinstance(line, LineFault) for line in found]


def test_of_a_line_that_is_too_long_nothing_is_kept_and_the_next_is_read():
    splitter = LineSplitter(5)
    for _ in range(1000):
        assert list(splitter.feed(b"xxx")) == []
    fault, following = splitter.feed(b"x\nnext\n")
    assert "longer than 5 bytes" in fault.reason
    assert following == b"next"


def test_a_line_of_exactly_the_limit_is_one():
    assert split(b"12345\n", most=5) == ([b"12345"], None)


@pytest.mark.parametrize("rest", [b"{", b"x" * 200])
def test_a_last_line_without_its_newline_is_a_fault(rest):
    lines, torn = split(b"a\n" + rest)
    assert lines == [b"a"]
    assert "was not ended by a newline" in torn.reason
