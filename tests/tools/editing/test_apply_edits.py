"""Edits of a text: expected values, the order of the checks, the normalised view, and invariants."""

import base64
import pickle
import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pihost.tools.editing._normalized_view import has_line_end_space, normalized_view
from pihost.tools.editing.apply_edits import Edit, EditError, apply_edits

ROWS = 500
ALPHABET = "ab \n\tX“”—é\u0301\u00a0ﬁ"


def decoded(text):
    return base64.b64decode(text).decode()


@pytest.fixture(scope="module")
def rows(load_vectors):
    return load_vectors("edit")


def refused(text, *edits, path="f.txt"):
    """The error of edits given as pairs."""
    with pytest.raises(EditError) as caught:
        apply_edits(text, [Edit(*edit) for edit in edits], path=path)
    return caught.value


@pytest.mark.parametrize("number", range(ROWS))
def test_expected_value(rows, number):
    """One row of the vectors: the new text, or the error's code."""
    row = rows[number]
    text, expected = decoded(row["content_b64"]), row["expect"]
    if "error" in expected:
        with pytest.raises(EditError) as caught:
            apply_edits(text, row["edits"])
        assert caught.value.code == expected["error"]
    else:
        assert apply_edits(text, row["edits"]) == decoded(expected["content_b64"])


def test_every_expected_value_is_tested(rows):
    assert len(rows) == ROWS


class TestExact:
    def test_all_edits_match_the_original(self):
        assert apply_edits("a b c", [Edit("a", "b"), Edit("c", "a"), Edit("b", "c")]) == "b c a"

    @pytest.mark.parametrize("new", [r"\1 \g<0> \\n", "$& $$ $1", "{} %s"])
    def test_new_text_is_inserted_as_it_is(self, new):
        assert apply_edits("x = 1\n", [Edit("1", new)]) == f"x = {new}\n"

    def test_old_text_is_no_pattern(self):
        assert apply_edits("abc a.c", [Edit("a.c", "x")]) == "abc x"

    def test_edits_may_touch_but_not_overlap(self):
        assert apply_edits("abcd", [Edit("cd", "2"), Edit("ab", "1")]) == "12"

    def test_mappings_are_edits(self):
        assert apply_edits("a", [{"old_text": "a", "new_text": "b"}]) == "b"

    def test_a_mapping_with_other_keys_is_an_error(self):
        with pytest.raises(TypeError, match="newText"):
            apply_edits("a", [{"old_text": "a", "newText": "b"}])

    def test_line_endings_of_edits_are_those_of_the_text(self):
        assert apply_edits("a\nb\n", [Edit("a\r\nb", "c\r\nd")]) == "c\nd\n"

    def test_an_exact_place_wins_over_one_that_only_looks_alike(self):
        """Counting in the view does not matter where spellings differ in more than the view undoes."""
        assert apply_edits("'a' `a`\n", [Edit("`a`", "b")]) == "'a' b\n"


class TestNormalised:
    def test_only_the_lines_touched_change(self):
        text = "keep  \n“q”\nfix me \nend\ntail  \n"
        assert apply_edits(text, [Edit("fix me\nend", "OK\nend")]) == "keep  \n“q”\nOK\nend\ntail  \n"

    def test_a_touched_line_takes_the_spelling_of_the_view(self):
        assert apply_edits("“a” — b  \n", [Edit('"a"', "c")]) == "“a” — b  \n".replace("“a” — b  ", "c - b")

    def test_one_edit_that_needs_the_view_takes_all_there(self):
        text = "“a”  \nb  \nc  \n"
        assert apply_edits(text, [Edit('"a"', "A"), Edit("b", "B")]) == "A\nB\nc  \n"

    def test_two_edits_of_one_line_both_land(self):
        assert apply_edits("“a” “b”\nc \n", [Edit('"a"', "1"), Edit('"b"', "2")]) == "1 2\nc \n"

    def test_a_match_up_to_the_end_of_a_line_leaves_the_next_line_alone(self):
        assert apply_edits("“a”\nb  \n", [Edit('"a"\n', "")]) == "b  \n"

    def test_spaces_where_the_file_has_others(self):
        assert apply_edits("a\u00a0=\u20091\n", [Edit("a = 1", "a = 2")]) == "a = 2\n"

    def test_composed_and_decomposed_letters_are_the_same(self):
        assert apply_edits("cafe\u0301\n", [Edit("caf\u00e9", "tea")]) == "tea\n"

    def test_an_old_text_of_nothing_but_other_white_space_is_not_found(self):
        assert refused("a b\n", ("\t", "x")).code == "not_found"

    def test_a_line_spelt_as_the_view_without_another_change_is_a_change(self):
        assert apply_edits("a — b", [Edit("-", "-")]) == "a - b"

    @given(st.text(alphabet=ALPHABET + "\u2011\u2028\ufeff\u3000\r\v\u2018", max_size=30))
    def test_the_view_keeps_lines_apart_and_is_its_own_view(self, text):
        view = normalized_view(text)
        assert view.count("\n") == text.count("\n")
        assert normalized_view(view) == view
        assert not has_line_end_space(view)

    @given(st.text(alphabet=st.characters(categories=["Zs"]), min_size=1, max_size=5))
    def test_every_space_of_unicode_is_dropped_at_line_ends(self, spaces):
        assert normalized_view(f"a{spaces}\nb{spaces}") == "a\nb"
        assert normalized_view(f"a{spaces}b") == f"a{' ' * len(unicodedata.normalize('NFKC', spaces))}b"


class TestChecks:
    def test_an_empty_old_text_comes_first(self):
        error = refused("a a", ("missing", "x"), ("a", "b"), ("", "x"))
        assert (error.code, error.index) == ("empty_old_text", 2)

    @pytest.mark.parametrize(
        ("edits", "code", "index"),
        [
            ([("a", "b"), ("missing", "x")], "not_unique", 0),
            ([("missing", "x"), ("a", "b")], "not_found", 0),
            ([("bc", "x"), ("cd", "x"), ("missing", "x")], "not_found", 2),
            ([("bc", "bc"), ("cd", "cd")], "overlap", 1),
            ([("cd", "cd"), ("bc", "bc")], "overlap", 0),
            ([("bc", "bc"), ("d", "d")], "no_change", None),
        ],
    )
    def test_the_rest_come_in_order(self, edits, code, index):
        error = refused("a a bcd", *edits)
        assert (error.code, error.index) == (code, index)

    def test_a_match_only_after_another_edit_is_none(self):
        error = refused("one\n", ("one", "two"), ("two", "three"))
        assert (error.code, error.index) == ("not_found", 1)

    @pytest.mark.parametrize(
        ("text", "old", "count"),
        [("aba\naba\naba\n", "aba\naba\n", 2), ("aaa", "aa", 2), ('a”  \na"\n', 'a"\n', 2), ("   ", "  ", 2)],
    )
    def test_occurrences_are_counted_with_overlap_and_in_the_view(self, text, old, count):
        error = refused(text, (old, "x"))
        assert (error.code, error.count) == ("not_unique", count)

    def test_occurrences_that_the_view_hides_count_as_well(self):
        """In the view both are part of a composed letter."""
        assert refused("e\u0301 e\u0301", ("e", "x")).count == 2

    def test_one_edit_has_no_index(self):
        assert refused("a", ("b", "c")).index is None

    def test_edits_that_make_up_for_each_other_change_nothing(self):
        assert refused("12", ("1", ""), ("2", "12")).code == "no_change"

    def test_no_edits_change_nothing(self):
        assert refused("a").code == "no_change"


class TestMessages:
    def test_each_names_the_file_and_the_edit(self):
        assert str(refused("a", ("a", "b"), ("", "x"))).startswith("edits[1].old_text is empty, for f.txt.")
        assert str(refused("a", ("b", "x"))).startswith("old_text was not found in f.txt.")
        assert "leave f.txt as it is" in str(refused("a", ("a", "a")))
        assert "in the text" in str(refused("a", ("b", "x"), path=""))

    def test_not_unique_says_how_many_and_where(self):
        text = "x\n" * 3 + "a x\n"
        assert str(refused(text, ("x", "y"))) == (
            "old_text was found 4 times in f.txt (lines 1, 2, 3, 4). It must occur exactly once: add lines "
            "around it until it does."
        )

    def test_of_many_places_only_some_are_named(self):
        error = refused("x\n" * 900, ("x", "y"))
        assert error.count == 900
        assert "(lines 1, 2, 3, 4, 5, …)" in str(error)

    def test_several_places_on_one_line_are_one_line(self):
        assert "found 2 times in f.txt (line 1)" in str(refused("x x", ("x", "y")))

    def test_overlap_names_both_places(self):
        error = refused("a\nb\nc\n", ("a\nb", "x"), ("b\nc", "y"))
        assert error.lines == (1, 2)
        assert str(error).startswith("edits[1].old_text overlaps with another edit's in f.txt (lines 1, 2).")

    def test_not_found_shows_the_closest_place(self):
        text = "import os\n\ndef compute_total(items):\n    return sum(items)\n"
        error = refused(text, ("def compute_totals(item):\n    return sum(items)", "x"))
        assert error.lines == (3,)
        assert 0.9 < error.similarity < 1
        assert f"The closest place is line 3 ({error.similarity:.0%} similar)." in str(error)

    def test_the_closest_place_begins_where_the_wanted_lines_begin(self):
        """The line with the most words is not the first one."""
        text = "x\n" * 10 + "if ready:\n    start the engine now\n"
        assert refused(text, ("\nif ready:\n    start the engines now\n", "y")).lines == (11,)

    def test_nothing_alike_is_not_worth_showing(self):
        error = refused("alpha beta\ngamma\n", ("beta zzz qqq www eee", "x"))
        assert (error.lines, error.similarity) == ((), None)
        assert "Read the file again" in str(error)

    @pytest.mark.parametrize("edits", [[("b", "c")], [("", "c")], [("a", "a")], [("a", "b"), ("a", "c")]])
    def test_every_error_can_be_pickled(self, edits):
        error = refused("a and aa\n" if len(edits) == 1 else "a", *edits)
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), vars(again)) == (str(error), vars(error))


class TestCost:
    def test_difflib_is_only_imported_for_a_miss(self):
        code = (
            "import sys\nfrom pihost.tools.editing.apply_edits import apply_edits\n"
            "apply_edits('a b', [{'old_text': 'a', 'new_text': 'c'}])\nprint('difflib' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"

    @pytest.mark.parametrize(
        "text",
        [
            "a" * 300_000,
            "a b " * 100_000,
            "x" + " " * 400_000 + "y",
            "word word word\n" * 40_000,
            "“ ”\n" * 60_000,
        ],
    )
    @pytest.mark.parametrize("old", ["aa", "word wrod word\n" * 30, " " * 50 + "z", "x\n" * 2000])
    def test_no_text_takes_long_to_refuse(self, text, old):
        """Nothing is quadratic in the size of the text."""
        start = time.process_time()
        error = refused(text, (old, "new"))
        assert error.code in {"not_found", "not_unique"}
        assert time.process_time() - start < 10


texts = st.text(alphabet=ALPHABET, min_size=1, max_size=40)


@st.composite
def edited_texts(draw):
    """A text and edits of some of its parts."""
    text = draw(texts)
    edits = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        edits.append(Edit(text[start:end], draw(st.text(alphabet=ALPHABET, max_size=8))))
    return text, edits


@given(edited_texts())
def test_exact_edits_are_what_replacing_says(case):
    """Parts of the text itself are found exactly; where each is there once, `str.replace` agrees."""
    text, edits = case
    try:
        result = apply_edits(text, edits)
    except EditError:
        assume(False)
    expected = text
    for start, edit in sorted(
        ((text.index(edit.old_text), edit) for edit in edits), key=lambda pair: -pair[0]
    ):
        expected = expected[:start] + edit.new_text + expected[start + len(edit.old_text) :]
    assert result == expected


@given(
    st.lists(st.text(alphabet=ALPHABET.replace("\n", ""), max_size=6), min_size=1, max_size=6),
    st.data(),
    st.text(alphabet=ALPHABET, max_size=6),
)
def test_lines_that_a_match_does_not_touch_are_equal(lines, data, new):
    """Whether it was found exactly or in the view, all lines before and after it are as they were."""
    lines = [f"<{number}>{line}" for number, line in enumerate(lines)]  # so that each is there once
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    old = normalized_view("\n".join(lines[first : last + 1]))
    result = apply_edits("\n".join(lines), [Edit(old, f"!{new}")])
    assert result.split("\n")[:first] == lines[:first]
    assert result.split("\n")[len(result.split("\n")) - len(lines) + last + 1 :] == lines[last + 1 :]
