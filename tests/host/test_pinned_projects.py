"""Projects approved file by file: what is approved is what runs, and running it changes nothing."""

import importlib.util
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.config import HostOptions
from pihost.host import Host

CHECKOUT = Path(__file__).parents[2]
GOOD = "def setup(api): api.register_command('good', handler=print)\n"
EVIL = "def setup(api): api.register_command('evil', handler=print)\n"
AT_REST = 1_000_000_000


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with nothing in it, in a process that keeps bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def write(project):
    """Write a file of the project's, old enough for bytecode of it to be kept."""

    def write(path, text):
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (AT_REST, AT_REST))
        return file

    return write


@pytest.fixture
def plant(tmp_path):
    """Plant bytecode of other code beside a file; it says of itself that it need not be checked."""

    def plant(file, text=EVIL):
        other = tmp_path / "evil.py"
        other.write_text(text)
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(
            str(other), importlib.util.cache_from_source(str(file)), invalidation_mode=mode, doraise=True
        )

    return plant


@pytest.fixture
def commands_in(project):
    """Open a host in the trusted project and give the commands that its extensions register."""

    async def commands(*paths, trusted=True):
        options = HostOptions(trust_override=trusted, extension_paths=paths)
        async with Host.open(project, options=options) as host:
            return [name for name in host.runner.commands() if ":" not in name]

    return commands


def bytecode(folder):
    return list(folder.rglob("*.pyc"))


async def test_bytecode_that_came_with_the_project_is_not_run(write, plant, commands_in):
    plant(write(".pihost/extensions/a.py", GOOD))
    assert await commands_in() == ["good"]


async def test_nor_is_that_of_a_package_and_its_modules(write, plant, commands_in):
    source = "from .part import setup\n"
    plant(write(".pihost/extensions/a/__init__.py", source), EVIL)
    plant(write(".pihost/extensions/a/part.py", GOOD))
    assert await commands_in() == ["good"]


async def test_nor_is_that_of_a_file_which_the_projects_settings_name(write, plant, commands_in):
    write(".pihost/settings.toml", 'extensions = ["../tools/a.py"]\n')
    plant(write("tools/a.py", GOOD))
    assert await commands_in() == ["good"]


async def test_nor_is_that_of_a_distribution_in_the_project(
    project, write, plant, commands_in, monkeypatch, request
):
    metadata = "src/acme.egg-info"
    write(f"{metadata}/PKG-INFO", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n\n")
    write(f"{metadata}/entry_points.txt", "[pihost.extensions]\nacme = acme_pinned.part\n")
    plant(write("src/acme_pinned/__init__.py", ""), "1 / 0\n")
    plant(write("src/acme_pinned/part.py", GOOD))
    monkeypatch.delenv("PIHOST_DISABLE_INSTALLED")
    monkeypatch.syspath_prepend(project / "src")
    request.addfinalizer(lambda: [sys.modules.pop(n) for n in ("acme_pinned", "acme_pinned.part")])
    assert await commands_in() == ["good"]


@pytest.mark.parametrize("path", [".pihost/extensions/a.py", ".pihost/extensions/deep/er/a.py", "a.py"])
async def test_nor_is_that_of_a_file_of_the_project_given_with_e(write, plant, commands_in, path):
    plant(write(path, GOOD))
    assert await commands_in(path, trusted=False) == ["good"]


@pytest.mark.parametrize("explicit", [(), (".pihost/extensions/a",), (".pihost/extensions/a/b.py",)])
async def test_loading_it_writes_no_bytecode_into_the_project(project, write, commands_in, explicit):
    write(".pihost/extensions/a/__init__.py", "from .b import setup\n")
    write(".pihost/extensions/a/b.py", GOOD)
    assert await commands_in(*explicit)
    assert bytecode(project) == []


async def test_the_users_own_directory_keeps_its_bytecode_also_below_the_working_directory(
    project, write, commands_in, monkeypatch
):
    """A session in the home directory starts as fast as any other."""
    monkeypatch.setenv("PIHOST_HOME", str(project / ".pihost"))
    write(".pihost/extensions/a.py", GOOD)
    assert await commands_in() == ["good"]
    assert len(bytecode(project)) == 1


@pytest.fixture
def run(project):
    """Run pihost in the project, as a process that keeps bytecode."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"PYTHONPATH": str(CHECKOUT)}

    def run(*arguments):
        command = [sys.executable, "-m", "pihost", *arguments]
        return subprocess.run(
            command, cwd=project, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    return run


def test_exact_files_stay_trusted_through_every_start_until_one_changes(write, run):
    file = write(".pihost/extensions/a.py", GOOD)
    assert run("trust", "allow", "--pin").returncode == 0
    for _start in range(2):
        done = run("-p", "ls")
        assert (done.returncode, done.stderr) == (0, "")
    file.write_text(EVIL)
    done = run("-p", "ls")
    assert "changed: .pihost/extensions/a.py" in done.stderr
    assert "not trusted" in done.stderr
