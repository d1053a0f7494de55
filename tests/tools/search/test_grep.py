import asyncio
import os

import pytest

from pihost.tools.search import ripgrep


@pytest.fixture
def tree(tmp_path):
    """Make files of the given contents."""

    def tree(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_txt", ".txt").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return tree


async def test_matches_come_with_file_and_line_sorted_by_file(tree, call):
    tree(b_txt="foo\nbar\nfoo bar\n", a_txt="foo\n", d__c_txt="no\nfoo")
    assert (await call("grep", pattern="foo")).text == (
        "a.txt:1: foo\nb.txt:1: foo\nb.txt:3: foo bar\nd/c.txt:2: foo"
    )


async def test_no_match_is_no_error(tree, call):
    tree(a_txt="x\n")
    result = await call("grep", pattern="foo")
    assert (result.text, result.is_error) == ("No matches found", False)


async def test_a_bad_pattern_is_ripgreps_own_message(call):
    result = await call("grep", pattern="(")
    assert result.is_error
    assert "regex parse error" in result.text


async def test_a_literal_pattern_is_text(tree, call):
    tree(a_txt="a(b\n")
    assert (await call("grep", pattern="a(", literal=True)).text == "a.txt:1: a(b"


@pytest.mark.parametrize("pattern", ["--pre=sh", "-v", "--files", "-e", "--"])
async def test_a_pattern_is_never_an_option(tree, call, pattern):
    tree(a_txt=f"x {pattern}\n", b_txt="nothing\n")
    result = await call("grep", pattern=pattern, literal=True)
    assert result.text == f"a.txt:1: x {pattern}"


async def test_a_path_is_never_an_option(tmp_path, call):
    (tmp_path / "--pre=sh").write_text("foo\n")
    assert (await call("grep", pattern="foo", path="--pre=sh")).text == "--pre=sh:1: foo"


async def test_case_can_be_ignored(tree, call):
    tree(a_txt="Foo\n")
    assert (await call("grep", pattern="foo")).text == "No matches found"
    assert (await call("grep", pattern="foo", ignore_case=True)).text == "a.txt:1: Foo"


async def test_context_lines_are_marked_and_stop_at_the_files_edges(tree, call):
    tree(a_txt="foo\ntwo\nthree\nfour\nfoo")
    assert (await call("grep", pattern="foo", context=1)).text == (
        "a.txt:1: foo\na.txt-2- two\na.txt-4- four\na.txt:5: foo"
    )


async def test_crlf_lines_have_right_numbers_and_text(tree, call):
    tree(a_txt="one\r\nfoo\r\n\r\nlast foo\r\n")
    assert (await call("grep", pattern="foo$")).text == "a.txt:2: foo\na.txt:4: last foo"
    assert (await call("grep", pattern="^$")).text == "a.txt:3: "


async def test_a_glob_selects_files_and_does_not_override_gitignore(tree, call, tmp_path):
    tree(a_py="foo\n", b_txt="foo\n", ignored_py="foo\n", src__c_py="foo\n")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    assert (await call("grep", pattern="foo", glob="*.py")).text == "a.py:1: foo\nsrc/c.py:1: foo"
    assert (await call("grep", pattern="foo", glob="src/*.py")).text == "src/c.py:1: foo"
    assert (await call("grep", pattern="foo", glob="!*.py")).text == "b.txt:1: foo"


async def test_hidden_files_are_searched_and_git_is_not(tmp_path, call):
    for name in (".git", ".config", "node/.git"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x").write_text("foo\n")
    assert (await call("grep", pattern="foo")).text == ".config/x:1: foo"


async def test_an_ignored_file_named_outright_is_searched(tmp_path, call):
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "a.log").write_text("foo\n")
    assert (await call("grep", pattern="foo", path="a.log")).text == "a.log:1: foo"


async def test_a_users_ripgrep_configuration_has_no_effect(tree, call, tmp_path, monkeypatch):
    tree(a_txt="Foo\n")
    (tmp_path / "rc").write_text("--ignore-case\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    assert (await call("grep", pattern="foo", path="a.txt")).text == "No matches found"


async def test_a_limit_stops_the_search_but_not_the_context(tree, call):
    tree(a_txt="foo\n1\nfoo\n2\n3\nfoo\n")
    result = await call("grep", pattern="foo", limit=2, context=1)
    assert result.text.startswith(
        "a.txt:1: foo\na.txt-2- 1\na.txt:3: foo\na.txt-4- 2\n\n[2 matches limit reached. Use limit=4"
    )
    assert result.details.limit_reached == 2


async def test_long_lines_are_cut_and_told(tree, call):
    tree(a_txt="foo" + "x" * 1000 + "\n")
    result = await call("grep", pattern="foo")
    assert "x... [truncated]\n\n[Lines over 500 characters were cut" in result.text
    assert result.details.lines_cut


async def test_output_is_cut_at_the_byte_limit(tree, call):
    tree(a_txt=("foo" + "x" * 400 + "\n") * 300)
    result = await call("grep", pattern="foo", limit=1000)
    assert result.text.endswith("[50.0KB limit reached]")
    assert result.details.truncation.truncated


async def test_names_with_wildcards_are_literal(tmp_path, call):
    (tmp_path / "[id]*").mkdir()
    (tmp_path / "[id]*" / "a").write_text("foo\n")
    (tmp_path / "i").mkdir()
    (tmp_path / "i" / "b").write_text("foo\n")
    assert (await call("grep", pattern="foo", path="[id]*")).text == "a:1: foo"


async def test_bytes_that_are_no_text_are_shown_as_replacements(tmp_path, call):
    (tmp_path / "a").write_bytes(b"foo \xff\n")
    (tmp_path / os.fsdecode(b"\xfe")).write_bytes(b"foo\n")
    assert (await call("grep", pattern="foo")).text == "a:1: foo \ufffd\n\ufffd:1: foo"


@pytest.mark.parametrize(
    ("path", "message"), [("gone", "no such file"), ("pipe", "neither a file nor a directory")]
)
async def test_what_cannot_be_searched_is_a_clear_error(tmp_path, call, path, message):
    os.mkfifo(tmp_path / "pipe")
    result = await call("grep", pattern="x", path=path)
    assert result.is_error
    assert message in result.text


@pytest.mark.parametrize("arguments", [{"pattern": "a\0b"}, {"pattern": "x", "glob": "{a,b}" * 20}])
async def test_arguments_no_program_can_take_are_clear_errors(call, arguments):
    result = await call("grep", **arguments)
    assert result.is_error
    assert result.text.startswith("Cannot ")


async def test_an_abort_stops_the_search(tmp_path, ctx, call):
    with (tmp_path / "big").open("wb") as big:
        big.truncate(1 << 32)
    running = asyncio.create_task(call("grep", pattern="x", path="big"))
    await asyncio.sleep(0.1)
    ctx.signal.abort()
    result = await asyncio.wait_for(running, 3)
    assert "aborted" in result.text


async def test_what_could_not_be_searched_is_told(call, monkeypatch, tmp_path):
    fake = tmp_path / "rg"
    summary = '{"type":"summary","data":{}}'
    fake.write_text(f"#!/bin/sh\necho '{summary}'; echo 'rg: b: Permission denied' >&2; exit 2\n")
    fake.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: fake)
    assert (await call("grep", pattern="x")).text == (
        "No matches found\n\n[Not everything could be searched: rg: b: Permission denied]"
    )


async def test_a_search_that_dies_without_a_word_is_an_error(call, monkeypatch, tmp_path):
    fake = tmp_path / "rg"
    fake.write_text("#!/bin/sh\nkill -9 $$\n")
    fake.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: fake)
    result = await call("grep", pattern="x")
    assert result.is_error
    assert "broke down with code -9" in result.text
