import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.search._glob import Glob


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "deep/down/a.py", True),
        ("*.py", "a.pyc", False),
        ("?.py", "ab.py", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("[^ab].py", "b.py", False),
        ("[^ab].py", "c.py", True),
        ("[", "[", True),
        ("*", "d/", True),
        ("d/", "d/", True),
        ("d/", "d", False),
        ("*.{py,txt}", "a.txt", True),
        ("{a,b{1,2}}.c", "b2.c", True),
        ("{a,b{1,2}}.c", "b.c", False),
        ("{a}", "{a}", True),
        ("{a", "{a", True),
        ("a}", "a}", True),
        ("!*.py", "a.py", False),
        ("!*.py", "a.txt", True),
        ("./a.py", "a.py", True),
        ("/a.py", "a.py", True),
        ("/a.py", "d/a.py", False),
        ("**", "a/b/c", True),
        ("**/x.py", "x.py", True),
        ("**/x.py", "a/b/x.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**/*.py", "lib/a.py", False),
        ("src/**", "src/a/b", True),
        ("src/**", "src/", False),
        ("a/*/c", "a/b/c", True),
        ("a/*/c", "a/b/b/c", False),
        ("a/**/**/c", "a/c", True),
        ("a/**/b/**/c", "a/x/b/y/b/c", True),
        ("a/**/b/**/c", "a/x/c", False),
        ("**/d/", "a/d/", True),
        ("**/d/", "a/d", False),
        ("a*b*c", "axbxbc", True),
        ("a*b*c", "axbxb", False),
        ("a?c", "a/c", False),
        ("a[!b]c", "a/c", False),
        ("[a-c]", "b", True),
        ("[c-a]", "b", False),
        ("[!c-a]", "b", True),
        ("[]a]", "]", True),
        ("[a-]", "-", True),
        ("*", "new\nline", True),
    ],
)
def test_what_fits(pattern, path, fits):
    assert Glob(pattern, anchored=True).matches(path) is fits


def test_a_pattern_with_a_slash_is_tied_to_the_root_only_if_anchored():
    assert not Glob("b/c", anchored=True).matches("a/b/c")
    assert Glob("b/c", anchored=False).matches("a/b/c")
    assert not Glob("/b/c", anchored=False).matches("a/b/c")


def test_a_pattern_cannot_be_endless():
    with pytest.raises(ValueError, match="at most 1000"):
        Glob("a" * 1001, anchored=True)


def test_braces_cannot_grow_without_end():
    with pytest.raises(ValueError, match="more than 256"):
        Glob("{a,b}" * 20, anchored=True)


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a/" * 40 + "b", "[" * 1000, "{" * 1000])
def test_no_pattern_takes_long(pattern):
    begun = time.process_time()
    Glob(pattern, anchored=True).matches("a" * 250)
    Glob(pattern, anchored=True).matches("/".join("a" * 100))
    assert time.process_time() - begun < 2


@given(st.text("ab*?[]{},!/.\\\0", max_size=12), st.text("ab/.", min_size=1, max_size=10))
def test_any_pattern_can_be_asked(pattern, path):
    assert Glob(pattern, anchored=True).matches(path) in {True, False}


paths = st.lists(st.text("ab.é\n", min_size=1, max_size=4), min_size=1, max_size=3).map("/".join)


@given(st.text("ab*?[]{},!/.é", max_size=8), st.lists(paths, max_size=8), st.booleans())
def test_a_listing_gives_the_same_as_asking_path_by_path(pattern, listed, anchored):
    glob = Glob(pattern, anchored=anchored)
    listing = "".join(f"{path}\0" for path in listed)
    assert glob.files_in(listing) == [path for path in listed if glob.matches(path)]


@given(st.text("ab*?[]{},!/.é", max_size=8), st.lists(paths, max_size=8), st.booleans())
def test_a_listing_without_a_directory_that_fits_is_told_rightly(pattern, listed, anchored):
    glob = Glob(pattern, anchored=anchored)
    listing = "".join(f"{path}\0" for path in listed)
    if not glob.may_fit_directory(listing):
        above = [path[: place + 1] for path in listed for place, char in enumerate(path) if char == "/"]
        assert glob.chosen(above) == []


names = st.text("abc.[]*{}", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})


@given(st.lists(names, min_size=1, max_size=4))
def test_a_path_without_wildcards_fits_itself(parts):
    path = "/".join(parts)
    if not set(path) & set("*[]{}"):
        assert Glob(f"/{path}", anchored=True).matches(path)
