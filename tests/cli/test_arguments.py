"""Telling options, prompts and attached files apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.cli._arguments import UsageError, split

KNOWN = {"-p": False, "--print": False, "-m": True, "--model": True}
WORDS = st.one_of(
    st.sampled_from(
        ["--", "---", "-", "@file", "@", "-p", "--print", "--nope=1", "-x", "--model=a=b", "- a"]
    ),
    st.text(max_size=8),
)


@given(st.lists(WORDS))
def test_no_word_is_lost(words):
    try:
        taken = split(words, KNOWN)
    except UsageError:
        return
    back = [*taken.prompts, *(f"@{file}" for file in taken.files)]
    for name, value in taken.options:
        back += [name] if value is None else [f"{name}={value}", name, value]
    before_end = words[: words.index("--")] if "--" in words else words
    assert set(words) - {"--"} <= set(back)
    assert len(before_end) <= len(words)
    assert len(taken.prompts) + len(taken.files) + len(taken.options) <= len(words)


@given(st.lists(st.text()))
def test_after_two_dashes_everything_is_prompt(words):
    assert split(["--", *words], KNOWN).prompts == tuple(words)


@pytest.mark.parametrize(
    "word", ["-", "---", "---x", "- read a.txt", "-\tx", "@", "", "a=b", "-\n", "read -p"]
)
def test_these_are_prompts(word):
    taken = split([word], KNOWN)
    assert (taken.prompts, taken.options, taken.files) == ((word,), (), ())


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["-m", "big"], ("-m", "big")),
        (["--model", "big"], ("--model", "big")),
        (["--model=big"], ("--model", "big")),
        (["--model="], ("--model", "")),
        (["--model=a=b"], ("--model", "a=b")),
        (["--model=two\nlines and more"], ("--model", "two\nlines and more")),
        (["--model", "-p"], ("--model", "-p")),
        (["--model", "--"], ("--model", "--")),
        (["-p"], ("-p", None)),
    ],
)
def test_an_option_has_its_value_beside_it_or_after_an_equals_sign(words, option):
    taken = split(words, KNOWN)
    assert (taken.options, taken.prompts, taken.unknown) == ((option,), (), ())


def test_a_short_option_does_not_take_its_value_attached():
    assert split(["-mbig"], KNOWN).unknown == ("-mbig",)


@pytest.mark.parametrize(
    ("words", "message"), [(["-m"], "needs a value"), (["--print=yes"], "takes no value")]
)
def test_a_value_too_few_or_too_many_is_told(words, message):
    with pytest.raises(UsageError, match=message) as caught:
        split(words, KNOWN)
    assert caught.value.hint


def test_a_file_is_a_word_that_begins_with_an_at_sign():
    taken = split(["@a b.txt", "look", "@c"], KNOWN)
    assert (taken.files, taken.prompts) == (("a b.txt", "c"), ("look",))


def test_an_unknown_option_is_refused_with_the_near_one():
    taken = split(["--modle", "big"], KNOWN)
    with pytest.raises(UsageError, match="--modle") as caught:
        taken.refuse_unknown(KNOWN)
    assert caught.value.hint == "Did you mean --model?"


def test_an_unknown_option_like_no_other_is_refused_with_a_way_out():
    with pytest.raises(UsageError) as caught:
        split(["-5"], KNOWN).refuse_unknown(KNOWN)
    assert "after --" in caught.value.hint


def test_where_all_is_known_nothing_is_refused():
    taken = split(["-p", "x"], KNOWN)
    taken.refuse_unknown(KNOWN)
    assert taken.unknown == ()


def test_an_option_is_found_by_any_of_its_names():
    taken = split(["-m", "a", "--model", "b"], KNOWN)
    assert taken.values("-m", "--model") == ("a", "b")
    assert taken.has("-m")
    assert not taken.has("-p", "--print")
