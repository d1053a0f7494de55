import asyncio
import contextlib
import os

import pytest

NOBODY = 65534


async def test_a_new_file_is_created_with_the_directories_above_it(tmp_path, call):
    result = await call("write", path="a/b/c.txt", content="hé\r\n")
    assert result.text == "Created a/b/c.txt (5 bytes)."
    assert (tmp_path / "a/b/c.txt").read_bytes() == "hé\r\n".encode()
    assert result.details.created


async def test_an_existing_file_is_replaced_and_keeps_its_mode(tmp_path, call):
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o750)
    result = await call("write", path="f", content="new")
    assert result.text == "Replaced f (3 bytes)."
    assert (tmp_path / "f").read_text() == "new"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o750


async def test_a_link_is_written_through(tmp_path, call):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    await call("write", path="link", content="new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


async def test_a_directory_and_a_path_through_a_file_are_clear_errors(tmp_path, call):
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_text("x")
    assert (await call("write", path="d", content="")).text == "Cannot write d: it is a directory."
    through = await call("write", path="f/g", content="")
    assert through.is_error
    assert "a part of the path is a file" in through.text


async def test_after_an_error_nothing_is_left_behind(tmp_path, call):
    name = "x" * 300
    result = await call("write", path=f"new/dir/{name}", content="")
    assert result.is_error
    assert "name is too long" in result.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "mode"), [("f", 0o755), ("new", 0o555), ("d/new", 0o555)])
async def test_no_permission_is_a_clear_error(tmp_path, call, name, mode):
    """A file that may not be written, and new ones in a directory that may not."""
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o400)
    tmp_path.chmod(mode)
    before = os.geteuid()
    if before == 0:  # permissions do not bind root
        os.chown(tmp_path / "f", NOBODY, NOBODY)
        os.chown(tmp_path, NOBODY, NOBODY)
        with contextlib.ExitStack() as opened:
            for parent in list(tmp_path.parents)[:3]:
                opened.callback(parent.chmod, parent.stat().st_mode)
                parent.chmod(0o755)
            os.seteuid(NOBODY)
            try:
                result = await call("write", path=name, content="new")
            finally:
                os.seteuid(before)
    else:
        result = await call("write", path=name, content="new")
    tmp_path.chmod(0o755)
    assert (result.text, result.is_error) == (f"Cannot write {name}: permission denied.", True)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert (tmp_path / "f").read_text() == "old"


async def test_half_a_surrogate_pair_is_refused_before_anything_is_touched(tmp_path, call):
    result = await call("write", path="d/f", content="ab\ud800")
    assert result.is_error
    assert "at character 2" in result.text
    assert list(tmp_path.iterdir()) == []


async def test_a_name_is_never_corrected(tmp_path, call):
    (tmp_path / "it\u2019s").write_text("old")
    await call("write", path="it's", content="new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's", "it\u2019s"]


async def test_writes_at_once_leave_one_whole_content(tmp_path, call):
    contents = [str(number) * 100_000 for number in range(8)]
    results = await asyncio.gather(*(call("write", path="f", content=content) for content in contents))
    assert not any(result.is_error for result in results)
    assert (tmp_path / "f").read_text() == contents[-1]
