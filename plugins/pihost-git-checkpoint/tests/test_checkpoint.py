"""Checkpoints of a real repository, and going back to them."""

import asyncio
import subprocess
from types import SimpleNamespace

import pihost_git_checkpoint
import pytest
from pihost_git_checkpoint._git import Snapshots

from pihost.testing import asks


@pytest.fixture
def git(pihost_project, monkeypatch):
    """Run git in the project, which is a repository."""
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)

    def run(*words):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        done = subprocess.run(["git", *identity, *words], cwd=pihost_project, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("init", "-q", "-b", "main")
    (pihost_project / "kept.txt").write_text("one\n")
    (pihost_project / ".gitignore").write_text("ignored.txt\n")
    run("add", "-A")
    run("commit", "-q", "-m", "begin")
    return run


def files(project):
    return {path.name: path.read_text() for path in project.iterdir() if path.is_file()}


async def run_program(words, cwd):
    """What the extension's ``api.exec`` does, for snapshots by themselves."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, cwd=cwd, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return SimpleNamespace(stdout=out.decode(), stderr=err.decode(), code=process.returncode)


async def work(bench, scripted_model, *calls):
    scripted_model.answer(list(calls), "done")
    await bench.prompt("change it")


async def test_undo_puts_files_back_as_they_were_before_the_run(
    git, pihost_host, pihost_project, scripted_model, fake_ui
):
    (pihost_project / "kept.txt").write_text("mine, not committed\n")
    (pihost_project / "untracked.txt").write_text("mine too\n")
    (pihost_project / "ignored.txt").write_text("left alone\n")
    before = files(pihost_project)
    async with pihost_host(pihost_git_checkpoint, ui=fake_ui) as bench:
        calls = (
            asks("write", path="kept.txt", content="changed\n"),
            asks("write", path="new [1].txt", content="new\n"),
            asks("bash", command="rm untracked.txt; echo more >> ignored.txt"),
        )
        await work(bench, scripted_model, *calls)
        assert files(pihost_project)["kept.txt"] == "changed\n"
        await bench.prompt("/undo")
    assert files(pihost_project) == {**before, "ignored.txt": "left alone\nmore\n"}
    assert fake_ui.notices[-1][1].startswith("3 files are as before 'change it'")


async def test_index_branches_and_stash_stay_as_they_are(git, pihost_host, pihost_project, scripted_model):
    (pihost_project / "kept.txt").write_text("staged\n")
    git("add", "kept.txt")
    (pihost_project / "kept.txt").write_text("not staged\n")

    def state():
        return (
            git("status", "--porcelain"),
            git("branch", "-a"),
            git("stash", "list"),
            git("rev-parse", "HEAD"),
        )

    before = state()
    async with pihost_host(pihost_git_checkpoint) as bench:
        await work(bench, scripted_model, asks("write", path="kept.txt", content="changed\n"))
        await bench.prompt("/undo")
    assert state() == before
    assert git("show", ":kept.txt") == "staged\n"
    assert (pihost_project / "kept.txt").read_text() == "not staged\n"


async def test_undo_goes_back_further_and_what_it_replaced_is_kept(
    git, pihost_host, pihost_project, scripted_model, fake_ui
):
    async with pihost_host(pihost_git_checkpoint, ui=fake_ui) as bench:
        for text in ("two\n", "three\n"):
            await work(bench, scripted_model, asks("write", path="kept.txt", content=text))
        await bench.prompt("/checkpoints")
        await bench.prompt("/undo 2")
        commit = fake_ui.notices[-1][1].split()[-1]
    assert fake_ui.notices[0][1].count("before 'change it'") == 2
    assert (pihost_project / "kept.txt").read_text() == "one\n"
    assert git("show", f"{commit}:kept.txt") == "three\n"


@pytest.mark.parametrize("arguments", ["", "0", "two", "9"])
async def test_an_undo_of_what_is_not_there_changes_nothing(git, pihost_host, fake_ui, arguments):
    async with pihost_host(pihost_git_checkpoint, ui=fake_ui) as bench:
        await bench.prompt(f"/undo {arguments}")
    assert fake_ui.notices == [("error", "There are 0 checkpoints; /undo takes a number up to that")]


async def test_from_a_directory_within_the_repository_all_of_it_is_kept(git, pihost_project):
    folder = pihost_project / "sub"
    folder.mkdir()
    (folder / "x.txt").write_text("x\n")
    snapshots = Snapshots(run_program, folder)
    commit = await snapshots.take("refs/pihost/test/1", "before")
    (pihost_project / "kept.txt").write_text("changed\n")
    (pihost_project / "new.txt").write_text("new\n")
    (folder / "x.txt").unlink()
    assert sorted(await snapshots.restore(commit)) == ["kept.txt", "new.txt", "sub/x.txt"]
    assert (pihost_project / "kept.txt").read_text() == "one\n"
    assert (folder / "x.txt").read_text() == "x\n"
    assert not (pihost_project / "new.txt").exists()


@pytest.fixture
def young(pihost_project):
    """A repository without a commit."""
    subprocess.run(["git", "init", "-q"], cwd=pihost_project, check=True)
    return pihost_project / "a.txt"


async def test_a_repository_without_a_commit_has_checkpoints_too(young, pihost_host, scripted_model):
    young.write_text("one\n")
    async with pihost_host(pihost_git_checkpoint) as bench:
        await work(bench, scripted_model, asks("write", path="a.txt", content="two\n"))
        await bench.prompt("/undo")
    assert young.read_text() == "one\n"


async def test_where_there_is_no_repository_nothing_is_said(pihost_host, scripted_model, fake_ui):
    async with pihost_host(pihost_git_checkpoint, ui=fake_ui) as bench:
        await work(bench, scripted_model, asks("ls"))
    assert fake_ui.notices == []
