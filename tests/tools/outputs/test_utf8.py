"""Positions in text by its UTF-8 bytes, against encoding the whole."""

from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.outputs._utf8 import chars_from_end, chars_from_start, measure, nth_newline

texts = st.text("ab\né日🎉\ud800", max_size=30)


def size(text):
    return len(text.encode("utf-8", "surrogatepass"))


@given(texts, st.integers(0, 130))
def test_as_many_characters_from_the_start_as_fit(text, limit):
    count = chars_from_start(text, limit)
    assert size(text[:count]) <= limit
    assert count == len(text) or size(text[: count + 1]) > limit


@given(texts, st.integers(0, 30), st.integers(0, 130))
def test_as_many_characters_from_the_end_as_fit(text, end, limit):
    end = min(end, len(text))
    count = chars_from_end(text, end, limit)
    assert size(text[end - count : end]) <= limit
    assert count == end or size(text[end - count - 1 : end]) > limit


@given(texts)
def test_measure_counts_what_encoding_counts(text):
    extent = measure(text)
    assert extent.size == size(text)
    assert extent.lines == text.count("\n") + (text != "" and text[-1] != "\n")
    assert extent.has_surrogates == ("\ud800" in text)


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=12), st.data())
def test_nth_newline_is_where_stepping_finds_it(gaps, data):
    text = "".join("x" * gap + "\n" for gap in gaps)
    n = data.draw(st.integers(1, len(gaps)))
    assert nth_newline(text, n, 0, len(text)) == sum(gaps[:n]) + n - 1
