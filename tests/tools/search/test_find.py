import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.search import ripgrep
from pihost.tools.search._glob import Glob
from pihost.tools.search.find import _Found


@pytest.fixture
def tree(tmp_path):
    """Make empty files of these names."""

    def tree(*names):
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()

    return tree


async def found(call, pattern, **arguments):
    result = await call("find", pattern=pattern, **arguments)
    assert not result.is_error, result.text
    return result.text.split("\n")


async def test_files_and_directories_are_listed_sorted_and_relative(tree, call):
    tree("b.txt", "a/c.txt", "a/d/e.txt")
    assert await found(call, "*") == ["a/", "a/c.txt", "a/d/", "a/d/e.txt", "b.txt"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/**/*.py", ["src/a.py", "src/b/c.py"]),
        ("**/c.py", ["src/b/c.py"]),
        ("a/b.txt", ["a/b.txt"]),
        ("*.txt", ["a/b.txt"]),
        ("b/", ["src/b/"]),
        ("!*.py", ["a/", "a/b.txt", "src/", "src/b/", "x.md"]),
    ],
)
async def test_globs_with_and_without_directories(tree, call, pattern, expected):
    tree("src/a.py", "src/b/c.py", "a/b.txt", "x.md")
    assert await found(call, pattern) == expected


async def test_dot_directories_are_searched_and_git_is_not(tree, call):
    tree(".github/workflows/x.yml", ".git/config", "sub/.git/x.yml")
    assert await found(call, "*.yml") == [".github/workflows/x.yml"]
    assert ".git/" not in await found(call, "*")


async def test_gitignore_counts_without_a_repository(tree, call, tmp_path):
    tree("a.log", "b.txt", "build/x.txt")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    assert await found(call, "*") == [".gitignore", "b.txt"]


async def test_nothing_found_is_no_error(call):
    assert await found(call, "*.zzz") == ["No files found matching *.zzz"]


async def test_a_limit_cuts_and_says_so(tree, call):
    tree("a", "b", "c")
    result = await call("find", pattern="*", limit=2)
    assert result.text.startswith("a\nb\n\n[2 results limit reached. Use limit=4 for more")
    assert result.details.limit_reached == 2


parts = st.text("ab.\n", min_size=1, max_size=3)
files = st.lists(st.lists(parts, min_size=1, max_size=4).map("/".join), max_size=30, unique=True)


@given(
    files, st.sampled_from(["*", "*a", "a*", "b/", "**/a/*", "!*a", "*.{a,b}"]), st.integers(1, 9), st.data()
)
def test_the_first_in_order_are_kept_of_a_listing_in_pieces(listed, pattern, most, data):
    """Whatever the order ripgrep lists the files in, and wherever its output is cut."""
    glob = Glob(pattern, anchored=False)
    directories = {
        f"{'/'.join(path.split('/')[:n])}/" for path in listed for n in range(1, path.count("/") + 1)
    }
    found = _Found(glob, most)
    rest = list(listed)
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        assert found.take("\0".join(rest[:cut]).encode())
        del rest[:cut]
    assert found.paths() == sorted(glob.chosen([*listed, *directories]))[:most]


async def test_the_directory_may_have_any_name(tree, call):
    tree("[id]*/a b.txt", "-x/y")
    assert await found(call, "*", path="[id]*") == ["a b.txt"]
    assert await found(call, "*", path="-x") == ["y"]


async def test_odd_names_stay_on_their_line(tree, call, tmp_path):
    tree("a\nb")
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff", os.O_CREAT))
    assert await found(call, "*") == ["a\\nb", "\ufffd"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "*", "path": "gone"}, "no such file or directory"),
        ({"pattern": "*", "path": "f"}, "not a directory"),
        ({"pattern": "{a,b}" * 20}, "more than 256 patterns"),
    ],
)
async def test_what_cannot_be_done_is_a_clear_error(tree, call, arguments, message):
    tree("f")
    result = await call("find", **arguments)
    assert result.is_error
    assert message in result.text


async def test_what_could_not_be_searched_is_told(call, monkeypatch, tmp_path):
    fake = tmp_path / "rg"
    fake.write_text("#!/bin/sh\nprintf 'a\\0'; echo 'rg: b: Permission denied' >&2; exit 2\n")
    fake.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: fake)
    notice = "[Not everything could be searched: rg: b: Permission denied]"
    assert (await call("find", pattern="*")).text == f"a\n\n{notice}"
    assert (await call("find", pattern="zzz")).text == f"No files found matching zzz\n\n{notice}"
