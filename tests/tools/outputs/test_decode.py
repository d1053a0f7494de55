"""A byte stream as well-formed text: chunks that are long, torn, malformed."""

import pytest

from pihost.tools.outputs._decode import TextStream

LONG = 100_000


@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("character", ["é", "語", "😀"])
def test_long_chunk_is_valid_wherever_its_characters_lie(character, shift):
    data = b"x" * shift + character.encode() * LONG
    assert TextStream().feed(data, final=True) == (data, 0)


def test_long_chunk_is_given_back_itself():
    data = "語".encode() * LONG
    assert TextStream().feed(data)[0] is data


def test_long_chunk_holds_back_the_character_that_it_tears():
    stream = TextStream()
    data = "語".encode() * LONG
    assert stream.feed(data[:-1]) == (data[:-3], 0)
    assert stream.feed(data[-1:]) == (data[-3:], 0)


def test_malformed_byte_far_inside_a_long_chunk_is_replaced():
    stream = TextStream()
    good = "語".encode() * LONG
    text, newlines = stream.feed(good + b"\xff\n" + good, final=True)
    assert text == good + "\ufffd\n".encode() + good
    assert newlines == 1


def test_incomplete_character_at_the_end_of_a_long_stream_is_replaced():
    good = "😀".encode() * LONG
    assert TextStream().feed(good + b"\xf0\x9f", final=True)[0] == good + "\ufffd".encode()
