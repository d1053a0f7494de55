"""The guard inside a real host, with a user who answers."""

from pathlib import Path

import pihost_guard
import pytest

from pihost import Host, HostConfig, HostOptions, NoSession
from pihost.testing import FakeUI

PACKAGE = Path(pihost_guard.__file__).parent


@pytest.fixture
def guarded(tmp_path):
    """Open a host with the guard in it, in a project of its own."""
    project = tmp_path / "project"
    project.mkdir()

    def open_host(settings="", ui=None):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        (home / "settings.toml").write_text(settings)
        options = HostOptions(extension_paths=[PACKAGE], session=NoSession())
        return Host.open(project, config=HostConfig(home=home), options=options, ui=ui)

    return open_host


async def test_a_destructive_command_the_user_approves_runs(guarded):
    user = FakeUI(True)
    async with guarded(ui=user) as host:
        (host.cwd / "build").mkdir()
        result = await host.call_tool("bash", {"command": "rm -r build"})
        assert not result.is_error, result.text
        assert not (host.cwd / "build").exists()
    (dialog,) = user.dialogs
    assert "rm -r build" in dialog.detail


async def test_a_destructive_command_the_user_refuses_does_not_run(guarded):
    async with guarded(ui=FakeUI(False)) as host:
        (host.cwd / "build").mkdir()
        result = await host.call_tool("bash", {"command": "rm -r build"})
        assert result.is_error
        assert "refused" in result.text
        assert (host.cwd / "build").exists()


async def test_without_a_user_it_is_refused_with_a_way_out(guarded):
    async with guarded() as host:
        result = await host.call_tool("bash", {"command": "git reset --hard"})
        assert result.is_error
        assert "nobody is here to ask" in result.text


async def test_a_harmless_command_asks_nobody(guarded):
    user = FakeUI(False)
    async with guarded(ui=user) as host:
        result = await host.call_tool("bash", {"command": "echo fine"})
        assert result.text == "fine\n"
    assert user.dialogs == []


async def test_an_allowed_command_runs_without_a_question(guarded):
    async with guarded('[extension.pihost_guard]\nallow = ["rm -rf build"]') as host:
        assert not (await host.call_tool("bash", {"command": "rm -rf build"})).is_error
        assert (await host.call_tool("bash", {"command": "rm -rf build src"})).is_error


async def test_what_the_user_adds_is_asked_about_too(guarded):
    async with guarded("[extension.pihost_guard]\nask_before = ['\\bdeploy\\b']") as host:
        result = await host.call_tool("bash", {"command": "echo deploy"})
        assert "destructive" in result.text


@pytest.mark.parametrize("path", ["poetry.lock", "@poetry.lock", "./sub/../poetry.lock"])
async def test_a_read_only_path_cannot_be_written_however_it_is_spelt(guarded, path):
    async with guarded('[extension.pihost_guard]\nread_only = ["*.lock"]') as host:
        (host.cwd / "poetry.lock").write_text("old\n")
        for name, arguments in {
            "write": {"content": "new"},
            "edit": {"edits": [{"old_text": "old", "new_text": "new"}]},
        }.items():
            result = await host.call_tool(name, {"path": path, **arguments})
            assert result.is_error
            assert "read-only" in result.text
        assert (host.cwd / "poetry.lock").read_text() == "old\n"
        assert (await host.call_tool("read", {"path": "poetry.lock"})).text == "old\n"


@pytest.mark.parametrize("settings", ["read_only = 5", "ask_before = ['(']", "raed_only = []"])
async def test_a_wrong_setting_keeps_the_guard_from_loading_and_says_so(guarded, settings):
    async with guarded(f"[extension.pihost_guard]\n{settings}") as host:
        assert host.extensions == ()
        (fault,) = [one for one in host.diagnostics if one.level == "error"]
        assert settings.split()[0] in fault.message
