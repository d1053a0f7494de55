"""Edits of files, byte for byte: line endings, byte order marks, encodings, bytes that are no text."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.editing._normalized_view import normalized_view
from pihost.tools.editing._text_file import TextDecodeError, decode_text
from pihost.tools.editing.apply_edits import Edit, EditError, apply_edits
from pihost.tools.editing.edit_bytes import edit_bytes

ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}


def edited(data, *edits):
    return edit_bytes(data, [Edit(*edit) for edit in edits]).data


def encoded(text, encoding):
    """With the byte order mark."""
    return text.encode(encoding) if encoding == "utf-8-sig" else ENCODINGS[encoding] + text.encode(encoding)


class TestLineEndings:
    @pytest.mark.parametrize(
        ("data", "old", "new", "expected"),
        [
            (b"a\r\nb\nc", "c", "C", b"a\r\nb\nC"),
            (b"a\r\nb\r\nc\r\n", "b\nc\n", "B\nX\nc\n", b"a\r\nB\r\nX\r\nc\r\n"),
            (b"10%\r20%\rdone\nnext\n", "next", "last", b"10%\r20%\rdone\nlast\n"),
            (b"a\r\nb\r\nc", "c", "C\nD", b"a\r\nb\r\nC\r\nD"),
            (b"a\nb\r\nc\n", "b", "x\ny", b"a\nx\r\ny\r\nc\n"),
            (b"a\r\nb\nc\r\n", "a\nb\nc", "A\nB\nC", b"A\r\nB\nC\r\n"),
            (b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nnew\nb\nc\n", b"a\r\nnew\nb\nc\r\n"),
            (b"a\r\nb\nc\r\n", "b\n", "", b"a\r\nc\r\n"),
            (b"a\r\r\nb\r\n", "b", "B", b"a\r\r\nB\r\n"),
            (b"a\r\nb\r\n", "a\r\nb", "c\r\nd", b"c\r\nd\r\n"),
            (b"a\r\nb\r\n", "a\nb\n", "ab", b"ab"),
            (b"a\n\r\nb", "a\n\nb", "a\nx\ny\nb", b"a\nx\r\ny\r\nb"),
        ],
        ids=repr,
    )
    def test_each_line_keeps_its_own_and_new_ones_take_those_they_replace(self, data, old, new, expected):
        assert edited(data, (old, new)) == expected

    def test_a_file_without_any_gets_newlines(self):
        assert edited(b"a", ("a", "b\nc")) == b"b\nc"

    @pytest.mark.parametrize(("old", "new"), [("b", "b\n"), ("a\nb", "a\nb\n")])
    def test_a_missing_final_newline_stays_missing_unless_it_is_edited(self, old, new):
        assert edited(b"a\nb", ("a", "A")) == b"A\nb"
        assert edited(b"a\nb", (old, new)) == b"a\nb\n"

    def test_several_edits_of_a_mixed_file(self):
        data = b"1\r\n2\n3\r\n4\n5\r\n6"
        assert edited(data, ("6", "six\nseven"), ("2\n3", "two\nthree"), ("1", "one")) == (
            b"one\r\ntwo\nthree\r\n4\n5\r\nsix\r\nseven"
        )

    def test_a_match_in_the_view_leaves_the_other_lines_as_they_are(self):
        data = "keep  \r\n“q”\nfix me \r\nend\r\ntail  ".encode()
        assert edited(data, ("fix me\nend", "OK\nend")) == "keep  \r\n“q”\nOK\r\nend\r\ntail  ".encode()


class TestEncodings:
    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_the_encoding_and_its_mark_stay(self, encoding):
        data = encoded("é = 1\r\n日本\n", encoding)
        assert edited(data, ("= 1", "= “2”")) == encoded("é = “2”\r\n日本\n", encoding)

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_a_file_of_nothing_but_a_mark_has_no_text(self, encoding):
        assert decode_text(ENCODINGS[encoding]).text == ""
        with pytest.raises(EditError, match="not found"):
            edited(ENCODINGS[encoding], ("a", "b"))

    def test_a_mark_that_came_along_in_an_edit_is_not_doubled(self):
        data = b"\xef\xbb\xbfa\n"
        assert edited(data, ("\ufeffa", "\ufeffb")) == b"\xef\xbb\xbfb\n"

    def test_bytes_that_are_not_utf8_stay(self):
        assert edited(b"n = 1\n# na\xefve\n", ("n = 1", "n = 2")) == b"n = 2\n# na\xefve\n"

    def test_they_stay_on_a_line_that_the_view_respells(self):
        assert edited("“\udcef” x  \n".encode("utf-8", "surrogateescape"), ('" x', '" y')) == b'"\xef" y\n'

    def test_bytes_after_the_last_whole_unit_stay(self):
        assert edited(b"\xff\xfea\0b\0c", ("a", "x")) == b"\xff\xfex\0b\0c"

    def test_lone_surrogates_of_utf16_stay(self):
        assert edited(b"\xff\xfe\x00\xd8a\0", ("a", "b")) == b"\xff\xfe\x00\xd8b\0"

    @pytest.mark.parametrize("data", [b"a", b"\xff\xfea\0"])
    def test_surrogates_in_new_text_become_the_replacement_character(self, data):
        """No encoding has them, and in UTF-8 they would turn into any byte."""
        text = edited(data, ("a", "x\udcff\ud800y"))
        assert decode_text(text).text == "x\ufffd\ufffdy"

    def test_what_is_not_in_the_promised_encoding_is_an_error(self):
        with pytest.raises(TextDecodeError) as caught:
            decode_text(b"\xff\xfe\0\0a\0\0\0\xff\xff\xff\xff")
        assert (caught.value.encoding, caught.value.offset) == ("utf-32-le", 8)
        assert "begins as utf-32-le, but the bytes at offset 8" in str(
            pickle.loads(pickle.dumps(caught.value))
        )


class TestResult:
    def test_it_knows_the_first_changed_line_and_a_patch_without_the_returns(self):
        result = edit_bytes(b"a\r\nb\r\nc\r\n", [Edit("b", "B")], path="f.txt")
        assert result.first_changed_line == 2
        assert result.patch == "--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"

    def test_errors_name_the_file(self):
        with pytest.raises(EditError, match=r"f\.txt"):
            edit_bytes(b"a", [Edit("b", "c")], path="f.txt")

    def test_a_final_newline_alone_is_a_change_to_show(self):
        result = edit_bytes(b"a\nb", [Edit("b", "b\n")])
        assert (result.data, result.first_changed_line) == (b"a\nb\n", 2)
        assert result.diff.splitlines() == [
            " 1 a",
            "-2 b",
            "-  \\ No newline at end of file",
            "+2 b",
        ]


lines = st.lists(
    st.tuples(
        st.text(alphabet="ab “é\u0301 \r", max_size=5), st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n"])
    ),
    min_size=1,
    max_size=8,
)


@st.composite
def edited_files(draw):
    """The parts of a file before, in and after one place, a way to ask for it, and the new text."""
    numbered = [f"<{number}>{line}{ending}" for number, (line, ending) in enumerate(draw(lines))]
    first = draw(st.integers(0, len(numbered) - 1))
    last = draw(st.integers(first + 1, len(numbered)))
    parts = ["".join(numbered[:first]), "".join(numbered[first:last]), "".join(numbered[last:])]
    old = parts[1].replace("\r\n", "\n")
    if draw(st.booleans()):
        old = normalized_view(old)
    return parts, old, "!" + draw(st.text(alphabet="x\n“", max_size=5))


@given(edited_files(), st.sampled_from(list(ENCODINGS)))
def test_bytes_outside_the_region_are_equal(case, encoding):
    """Whatever the endings, the encoding and the way it was found."""
    (before, _, after), old, new = case
    data = encoded("".join(case[0]), encoding)
    result = edit_bytes(data, [Edit(old, new)])
    assert result.data.startswith(encoded(before, encoding))
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    assert result.data.endswith(after.encode(codec))
    assert decode_text(result.data).bom == ENCODINGS[encoding]


@given(edited_files(), st.sampled_from(list(ENCODINGS)))
def test_the_text_afterwards_is_what_editing_the_text_says(case, encoding):
    parts, old, new = case
    data = encoded("".join(parts), encoding)
    result = edit_bytes(data, [Edit(old, new)])
    expected = apply_edits(decode_text(data).text, [Edit(old, new)])
    assert decode_text(result.data).raw.replace("\r\n", "\n") == expected


@given(st.binary(max_size=40), st.sampled_from(list(ENCODINGS.values())))
def test_any_bytes_around_an_edit_stay(noise, mark):
    """As UTF-8, or as whatever the mark at the start promises."""
    codec = next(name for name, value in ENCODINGS.items() if value == mark).removesuffix("-sig")
    unit = len("a".encode(codec))
    noise += bytes(-len(noise) % unit)
    data = mark + noise
    place, new = "<@place@>".encode(codec), "<@new@>".encode(codec)
    try:
        result = edited(data + place + noise, ("<@place@>", "<@new@>"))
    except TextDecodeError:
        assert codec.startswith("utf-32")
    else:
        assert result == data + new + noise
