"""Edits of files that changed meanwhile, in a real host."""

import os

import pihost_stale_edit
import pytest


@pytest.fixture
def file(pihost_project):
    path = pihost_project / "a.txt"
    path.write_text("one\n")
    return path


def edit(bench, path="a.txt", old="one", new="two"):
    return bench.call_tool("edit", path=path, edits=[{"old_text": old, "new_text": new}])


async def test_a_file_that_changed_since_it_was_read_is_not_edited(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="a.txt")
        file.write_text("one\nand mine\n")
        result = await edit(bench)
        assert result.is_error
        assert "has changed on disk since it was last read" in result.text
        assert file.read_text() == "one\nand mine\n"


async def test_after_it_is_read_again_it_is(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="a.txt")
        file.write_text("one\nand mine\n")
        await bench.call_tool("read", path="a.txt")
        assert not (await edit(bench)).is_error
        assert file.read_text() == "two\nand mine\n"


async def test_its_own_edits_make_nothing_stale(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="a.txt")
        assert not (await edit(bench)).is_error
        assert not (await edit(bench, old="two", new="three")).is_error
        assert not (await bench.call_tool("write", path="a.txt", content="four\n")).is_error
        assert not (await edit(bench, old="four", new="five")).is_error


async def test_a_file_that_was_only_touched_is_not_stale(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="a.txt")
        os.utime(file, (1, 1))
        assert not (await edit(bench)).is_error


async def test_another_way_to_the_file_is_the_same_file(pihost_host, file, pihost_project):
    (pihost_project / "link.txt").symlink_to("a.txt")
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="link.txt")
        file.write_text("one changed\n")
        assert (await edit(bench, path=str(file))).is_error


async def test_a_write_over_a_stale_file_is_refused_and_a_new_file_is_not(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        await bench.call_tool("read", path="a.txt")
        file.write_text("mine\n")
        assert (await bench.call_tool("write", path="a.txt", content="x")).is_error
        assert not (await bench.call_tool("write", path="b.txt", content="x")).is_error
        file.unlink()
        assert not (await bench.call_tool("write", path="a.txt", content="x")).is_error


@pytest.mark.parametrize("required", [False, True])
async def test_a_file_never_read_is_left_alone_unless_the_user_asks(pihost_host, file, required):
    settings = f"[extension.pihost-stale-edit]\nrequire_read = {str(required).lower()}\n"
    async with pihost_host(pihost_stale_edit, settings=settings) as bench:
        assert (await edit(bench)).is_error is required


async def test_a_failed_read_teaches_nothing(pihost_host, file):
    async with pihost_host(pihost_stale_edit) as bench:
        assert (await bench.call_tool("read", path="a.txt", offset=99)).is_error
        file.write_text("one more\n")
        assert not (await edit(bench)).is_error
