"""A checkout that brings a distribution of its own: nothing of it runs before the project is trusted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.config import HostConfig, HostOptions
from pihost.host import Host
from pihost.trust import ProjectTrustStore
from pihost.trust.digest import take_pin

CHECKOUT = Path(__file__).parents[2]
MODULE = """
from pathlib import Path
Path({marker!r}).touch()

def setup(api):
    api.register_flag("planted", type="boolean", description="Comes from the checkout")
"""


@pytest.fixture
def marker(tmp_path):
    """A file that the checkout's code makes when it runs."""
    return tmp_path / "it-ran"


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


def write_metadata(folder, name):
    """Metadata of a distribution ``acme`` with one extension."""
    metadata = folder / name
    metadata.mkdir(parents=True)
    file = "PKG-INFO" if name.endswith(".egg-info") else "METADATA"
    (metadata / file).write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n\n")
    (metadata / "entry_points.txt").write_text("[pihost.extensions]\nacme = acme_planted\n")
    return metadata


def write_module(source, marker, *, package=False):
    file = source / ("acme_planted/__init__.py" if package else "acme_planted.py")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(MODULE.format(marker=str(marker)))


def plant_metadata(project, _tmp_path, marker, suffix):
    source = project / "src"
    write_metadata(source, f"acme{suffix}")
    write_module(source, marker)
    return source


def install_editable(project, tmp_path, marker, _suffix):
    """As ``pip install -e`` leaves it: the metadata among the user's packages, the code in the project."""
    site = tmp_path / "site"
    metadata = write_metadata(site, "acme-1.0.dist-info")
    record = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (metadata / "direct_url.json").write_text(json.dumps(record))
    write_module(project / "src", marker, package=True)
    (site / "acme.pth").write_text(f"{project / 'src'}\n")
    return site


PLANTS = {
    "egg-info": (plant_metadata, ".egg-info"),
    "dist-info": (plant_metadata, "-1.0.dist-info"),
    "editable": (install_editable, ""),
}


@pytest.fixture(params=PLANTS)
def planted(request, project, tmp_path, marker):
    """The directories that a checkout gets onto the import path."""
    plant, suffix = PLANTS[request.param]
    entry = plant(project, tmp_path, marker, suffix)
    return [entry] if entry.is_relative_to(project) else [entry, project / "src"]


@pytest.fixture
def open_host(project, planted, monkeypatch):
    """Open a host in this process, with the checkout's directories on the import path."""
    monkeypatch.delenv("PIHOST_DISABLE_INSTALLED")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for entry in planted:
        monkeypatch.syspath_prepend(entry)

    async def open_host(**options):
        async with Host.open(project, config=HostConfig(), options=HostOptions(**options)) as host:
            opened = host.trust, [bound.extension.id for bound in host.extensions]
        sys.modules.pop("acme_planted", None)
        return opened

    return open_host


async def test_opening_a_host_does_not_run_it(open_host, marker):
    trust, loaded = await open_host()
    assert (trust.trusted, loaded, marker.exists()) == (False, [], False)


async def test_it_runs_in_a_project_that_is_trusted(open_host, marker):
    trust, loaded = await open_host(trust_override=True)
    assert (trust.trusted, loaded, marker.exists()) == (True, ["acme"], True)


async def test_its_metadata_and_its_module_are_what_is_guarded(open_host, project):
    trust, _loaded = await open_host()
    metadata, module = trust.guarded
    assert metadata.name.endswith("-info")
    assert module.is_relative_to(project / "src")
    assert module.name.startswith("acme_planted")


def change_module(guarded):
    [file] = guarded[1].glob("*.py") if guarded[1].is_dir() else [guarded[1]]
    file.write_text("def setup(api): ...\n")
    return file


def change_entry_point(guarded):
    file = guarded[0] / "entry_points.txt"
    file.write_text(file.read_text().replace("acme_planted", "json"))
    return file


@pytest.mark.parametrize("change", [change_module, change_entry_point])
async def test_a_pin_covers_its_metadata_and_its_module(open_host, project, change):
    trust, _loaded = await open_host()
    pin = take_pin(project, trust.guarded)
    ProjectTrustStore(HostConfig().resolve_home()).set_many({project: True}, pin=pin)
    assert [(await open_host())[1] for _start in range(2)] == [["acme"], ["acme"]]
    changed = change(trust.guarded)
    trust, loaded = await open_host()
    assert loaded == []
    assert changed.name in trust.reason


@pytest.fixture
def run(project, planted):
    """Run pihost in the project, with the checkout's directories on the import path."""
    env = {name: value for name, value in os.environ.items() if name != "PIHOST_DISABLE_INSTALLED"}
    env["PYTHONPATH"] = os.pathsep.join(map(str, [CHECKOUT, *planted]))

    def run(*arguments):
        command = [sys.executable, "-m", "pihost", *arguments]
        return subprocess.run(
            command, cwd=project, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    return run


@pytest.mark.parametrize("planted", ["egg-info"], indirect=True)
@pytest.mark.parametrize("command", [["-p", "ls"], ["extensions", "list"], ["--help"], ["trust", "status"]])
def test_no_command_runs_it_before_the_project_is_trusted(run, marker, command):
    before = run(*command)
    assert (before.returncode, marker.exists()) == (0, False)
    run("trust", "allow")
    assert not marker.exists()
    run(*command)
    assert marker.exists() is (command[0] != "trust")


@pytest.mark.parametrize("planted", ["dist-info"], indirect=True)
def test_a_start_says_that_it_was_left_out(run):
    assert "acme 1.0, entry point acme = acme_planted" in run("-p", "ls").stderr
