from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.reading._line_slice import slice_lines

texts = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\n\n"]), max_size=20)


@given(texts, st.integers(1, 8), st.none() | st.integers(1, 8))
def test_it_agrees_with_splitting_the_whole_however_the_stream_is_cut(chunks, offset, limit):
    lines = b"".join(chunks).split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    wanted = lines[offset - 1 :][:limit]
    found = slice_lines(chunks, offset=offset, limit=limit, keep=1000)
    assert found.data == b"".join(wanted)
    assert (found.lines, found.total_lines) == (len(wanted), len(lines))
    assert found.size == len(found.data)
    assert found.first_size == (len(wanted[0].removesuffix(b"\n")) if wanted else 0)


def test_no_more_than_asked_for_is_kept_but_all_is_counted():
    found = slice_lines([b"abc\ndef\n"] * 3, offset=2, limit=None, keep=5)
    assert (found.data, found.size, found.lines) == (b"def\na", 20, 5)
