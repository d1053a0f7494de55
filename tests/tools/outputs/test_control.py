"""What the shells' filter drops, and that neither the result nor the time depends on how a stream is cut."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pihost.tools.outputs.control import ControlFilter

BYTES = [bytes([byte]) for byte in b"a[]01m\\\n\r\t\x00\x07\x18\x1b( PX_"]
SEQUENCES = [
    b"\x1b[31m",
    b"\x1b]0;t\x07",
    b"\x1b]8;;u\x1b\\",
    b"\x1bPq\x1b\\",
    "é".encode(),
    "日".encode(),
    "\x9b".encode(),
    "\x9c".encode(),
]
PIECES = st.sampled_from(BYTES + SEQUENCES)
streams = st.lists(PIECES, max_size=30).map(b"".join)


def filtered(*chunks):
    text_filter = ControlFilter()
    shown = b""
    for chunk in chunks:
        part, newlines = text_filter.feed(chunk)
        assert newlines == part.count(b"\n")
        shown += part
    last, newlines = text_filter.feed(b"", final=True)
    assert newlines == last.count(b"\n")
    return shown + last


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m", b"red"),
        (b"\x1b[?25l\x1b[2K\x1b[10;5Hx", b"x"),
        (b"\x1b[38:2::1:2:3mx\x1b[4 qy", b"xy"),
        (b"\x1b]0;a title\x07x", b"x"),
        (b"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", b"link"),
        (b"\x1bP1$r0m\x1b\\x", b"x"),
        (b"\x1b_Gf=100;AAAA\x1b\\x", b"x"),
        (b"\x1b^private\x1b\\x\x1bXstart\x1b\\y", b"xy"),
        (b"\x1b(Bx\x1b=y\x1b7z\x1bc", b"xyz"),
        (b"\x1b#8x", b"x"),
        (b"a\x00b\x07c\x08d\x0be\x0cf\x1fg", b"abcdefg"),
        (b"10%\r20%\r\n", b"10%\r20%\n"),
        (b"a\r\x1b[K\nb", b"a\nb"),
        (b"a\tb\x7f", b"a\tb\x7f"),
        ("日本\x1b[0m語".encode(), "日本語".encode()),
        ("\x9b31mred\x9b0m".encode(), b"red"),
        ("\x9d0;a title\x9cx\x90q\x1b\\y\x1b_z\x9c".encode(), b"xy"),
        ("a\x80b\x85c\x99d\x9ce".encode(), b"abcde"),
        ("\xa0©".encode(), "\xa0©".encode()),
    ],
)
def test_what_is_dropped(data, shown):
    assert filtered(data) == shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"\x1b]0;never ended", b"0;never ended"),
        (b"\x1b]0;cut by\x1b[31m a colour", b"0;cut by a colour"),
        (b"\x1b]" + b"x" * 8192 + b"\x07", b""),
        (b"\x1b]" + b"x" * 8193 + b"\x07", b"x" * 8193),
        (b"text\x1b", b"text"),
        (b"text\x1b[31", b"text"),
        (b"\x1b[12\nnext", b"\nnext"),
        ("\x1bé".encode(), "é".encode()),
        (b"\x1b\x1b[1mx", b"x"),
        (b"end\r", b"end\r"),
    ],
)
def test_a_sequence_that_is_not_complete_costs_no_text(data, shown):
    """Only the introducer of a control string without an end is dropped; half a sequence is no text."""
    assert filtered(data) == shown


@pytest.mark.parametrize(
    "data",
    [
        b"a\x1b[1;31mred\x1b[0m\r\nb",
        b"\x1b]0;title\x07x\x1b]8;;u\x1b\\y",
        b"\x1bP1\x1b\\\x1b(B\x1b_x\x1b\\\r\r\n\x00",
        b"\x1b]" + b"x" * 8191 + b"\x07y",
        b"\x1b]" + b"x" * 8193 + b"\x1b\\y",
        b"\x1b[" + b"1" * 300 + b"mx",
    ],
)
def test_every_cut_gives_the_result_of_the_whole(data):
    whole = filtered(data)
    cuts = range(len(data)) if len(data) < 1000 else [0, 1, 2, 3, len(data) - 3, len(data) - 2, len(data) - 1]
    for cut in cuts:
        assert filtered(data[:cut], data[cut:]) == whole
    assert filtered(*(data[i : i + 1] for i in range(len(data)))) == whole


@given(streams, st.data())
@example(b"\x1b]0;t\x1b\x1b\\", None)
def test_any_cuts_give_the_result_of_the_whole(data, draw):
    """Cuts between characters, as decoding leaves them."""
    text = data.decode()
    size = 1 if draw is None else draw.draw(st.integers(1, len(text) + 1))
    assert filtered(*(text[i : i + size].encode() for i in range(0, len(text), size))) == filtered(data)


@given(streams)
def test_nothing_that_controls_a_terminal_is_left(data):
    assert re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]", filtered(data).decode()) is None


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_text_without_controls_is_handed_on_as_it_is(text):
    data = (text + "\n\t").encode()
    shown, newlines = ControlFilter().feed(data)
    assert shown is data
    assert newlines == 1


@pytest.mark.parametrize("endless", [b"\x1b]", b"\x1b[", b"\x1bP", b"\x1b(", b"\x1b"])
def test_what_is_held_back_is_bounded(endless):
    """A sequence without an end is handed on as text after a while."""
    text_filter = ControlFilter()
    text_filter.feed(endless)
    longest = 0
    for _ in range(20_000):
        text_filter.feed(b"1")
        longest = max(longest, len(text_filter._held))
    assert longest <= 8192 + 3
    assert text_filter._held == b""
