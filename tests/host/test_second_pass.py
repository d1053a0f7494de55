"""What a trusted project's settings add changes nothing for what was loaded before."""

import sys

import pytest

from pihost.config import HostOptions
from pihost.host import Host

EXTENSION = """
from pihost import hookimpl
from pihost.events import ToolCallResult

with open({log!r}, "a") as log:
    log.write({name!r} + "\\n")

@hookimpl
def tool_call(event, ctx):
    if event.tool_name == "ls" and {name!r} == "guard":
        return ToolCallResult(block=True, reason="guarded")

def setup(api):
    api.register_command({name!r}, handler=print)
"""


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def write(tmp_path):
    """Write an extension that notes its loading under a name; the one called ``guard`` forbids ``ls``."""

    def write(path, name):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(EXTENSION.format(log=str(tmp_path / "loaded"), name=name))
        return path

    return write


@pytest.fixture
def write_settings():
    def write(directory, text):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "settings.toml").write_text(text)

    return write


@pytest.fixture
def home(nobodys_home):
    return nobodys_home / ".pihost"


@pytest.fixture
def installed_guard(tmp_path, write, monkeypatch):
    """A distribution ``guard`` among the user's packages."""
    site = tmp_path / "site"
    write(site / "acme_second_pass.py", "guard")
    metadata = site / "guard-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guard\nVersion: 1.0\n\n")
    (metadata / "entry_points.txt").write_text("[pihost.extensions]\nguard = acme_second_pass\n")
    monkeypatch.delenv("PIHOST_DISABLE_INSTALLED")
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("acme_second_pass", None)


@pytest.fixture
def start(project, tmp_path):
    """Open a host in the trusted project: what was loaded in order, the ids, whether ``ls`` is forbidden."""

    async def start(*paths):
        options = HostOptions(trust_override=True, extension_paths=paths)
        async with Host.open(project, options=options) as host:
            forbidden = (await host.call_tool("ls", {})).is_error
            ids = [bound.extension.id for bound in host.extensions]
            assert [one.message for one in host.diagnostics if one.level == "error"] == []
        return (tmp_path / "loaded").read_text().split(), ids, forbidden

    return start


async def test_a_projects_file_takes_no_id_from_an_installed_extension(
    project, write, write_settings, installed_guard, start
):
    write(project / "tools" / "guard.py", "theirs")
    write_settings(project / ".pihost", 'extensions = ["../tools/guard.py"]')
    loaded, ids, forbidden = await start()
    assert loaded == ["guard", "theirs"]
    assert ids == ["guard@configured", "guard"]
    assert forbidden


async def test_nor_from_one_in_the_users_directory(project, write, write_settings, home, start):
    write(home / "extensions" / "guard.py", "guard")
    write(project / "tools" / "guard.py", "theirs")
    write_settings(project / ".pihost", 'extensions = ["../tools/guard.py"]')
    assert await start() == (["guard", "theirs"], ["guard", "guard@configured"], True)


async def test_nor_from_those_given_with_e_though_the_settings_name_one_of_them_too(
    project, write, write_settings, start
):
    first = write(project / "a" / "guard.py", "guard")
    second = write(project / "b" / "guard.py", "second")
    write_settings(project / ".pihost", 'extensions = ["../b/guard.py"]')
    loaded, ids, forbidden = await start(first, second)
    assert loaded == ["guard", "second"]
    assert ids == ["guard@configured", "guard"]
    assert forbidden


async def test_what_supersedes_is_named_by_the_user_and_not_by_a_link(
    project, write, write_settings, installed_guard, start
):
    tool = write(project / "tools" / "helper.py", "helper")
    (project / "tools" / "guard.py").symlink_to(tool)
    write_settings(project / ".pihost", 'extensions = ["../tools/guard.py"]')
    loaded, ids, forbidden = await start(tool)
    assert sorted(loaded) == ["guard", "helper"]
    assert sorted(ids) == ["guard", "helper"]
    assert forbidden


async def test_a_name_that_the_user_disabled_elsewhere_takes_out_no_guard(
    project, write, write_settings, home, installed_guard, start
):
    """``disabled`` keeps out the first of two that the user has, and the project adds a third."""
    write(home / "extensions" / "guard.py", "first")
    write_settings(home, 'disabled = ["guard"]')
    write(project / "tools" / "guard.py", "theirs")
    write(project / ".pihost" / "extensions" / "guard.py", "local")
    write_settings(project / ".pihost", 'extensions = ["../tools/guard.py"]')
    loaded, ids, forbidden = await start()
    assert loaded == ["guard", "theirs"]
    assert ids == ["guard@configured", "guard@installed"]
    assert forbidden


async def test_a_file_that_was_loaded_is_not_loaded_again(project, write, write_settings, home, start):
    own = write(home / "extensions" / "guard.py", "guard")
    write_settings(project / ".pihost", f'extensions = ["{own}", "{own.parent}"]')
    assert await start() == (["guard"], ["guard"], True)


CONFIGURED = """
import attrs

@attrs.frozen
class Config:
    level: str = "none"

def setup(api):
    api.register_command(f"level-{api.get_config(Config).level}", handler=print)
"""


async def test_the_users_settings_reach_their_extension_though_the_project_has_one_of_its_name(
    project, write_settings, home
):
    for folder, code in ((home, CONFIGURED), (project / ".pihost", "def setup(api): ...\n")):
        (folder / "extensions").mkdir(parents=True)
        (folder / "extensions" / "guard.py").write_text(code)
    write_settings(home, '[extension.guard]\nlevel = "high"\n')
    async with Host.open(project, options=HostOptions(trust_override=True)) as host:
        assert "level-high" in host.runner.commands()
        assert [bound.extension.id for bound in host.extensions] == ["guard", "guard@global"]
