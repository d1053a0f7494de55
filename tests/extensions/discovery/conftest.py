"""Builders of what discovery finds: directories with extensions, and distributions on the path."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from pihost.config import HostConfig
from pihost.extensions import discover
from pihost.settings import Settings

GROUP = "acme.agent.extensions"
"""A group of our own, so that what the running environment has installed stays out of the tests."""


@pytest.fixture
def config():
    return HostConfig(app_name="acme", config_dir=".acme", entry_point_group=GROUP, env_prefix="ACME")


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def local(project):
    """The project's directory of extensions."""
    path = project / ".acme" / "extensions"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def shared(home):
    """The user's directory of extensions."""
    path = home / "extensions"
    path.mkdir()
    return path


@pytest.fixture
def marker(tmp_path):
    """A file that every extension written here would create if it were run."""
    return tmp_path / "it-ran"


@pytest.fixture
def write_extension(marker):
    """Write a file, and the directories above it, that leaves the marker when it is run."""

    def write(path, head=""):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"{head}\nopen({str(marker)!r}, 'w').close()\ndef setup(api): ...\n", encoding="utf-8"
        )
        return path

    return write


@pytest.fixture
def find(config, home, project, marker):
    """Discover, and hold that nothing was run."""

    def run(*paths, cwd=project, config=config, home=home, installed=False, **settings):
        discovery = discover(
            cwd, config=config, home=home, settings=Settings(**settings), paths=paths, installed=installed
        )
        assert not marker.exists()
        return discovery

    return run


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A directory for distributions, first on ``sys.path``."""
    path = tmp_path / "site"
    path.mkdir()
    monkeypatch.syspath_prepend(path)
    return path


@pytest.fixture
def write_distribution(marker):
    """Write the metadata and the module of a distribution into a directory on the path."""

    def write(directory, name="acme", version="1.0", *, entry_points=None, headers=(), suffix="dist-info"):
        lines = [f"{entry} = {entry}_module" for entry in entry_points or (name.lower(),)]
        stem = name.replace("-", "_")
        metadata = directory / (f"{stem}-{version}.{suffix}" if suffix == "dist-info" else f"{stem}.{suffix}")
        metadata.mkdir(parents=True)
        text = "\n".join((f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *headers, "", "Text"))
        (metadata / ("METADATA" if suffix == "dist-info" else "PKG-INFO")).write_text(text)
        (metadata / "entry_points.txt").write_text("\n".join((f"[{GROUP}]", *lines, "")))
        (directory / f"{stem}_module.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
        return metadata

    return write


@pytest.fixture
def write_everywhere(local, shared, site, tmp_path, write_extension, write_distribution):
    """Write an extension to each source, by names in the final order; returns the configured path."""

    def write(in_project, global_, configured, installed):
        write_extension(local / f"{in_project}.py")
        write_extension(shared / f"{global_}.py")
        write_distribution(site, installed)
        return str(write_extension(tmp_path / f"{configured}.py"))

    return write


@pytest.fixture
def forbidden(tmp_path):
    """A directory that nobody may read, also where the tests run as root."""
    # Not below tmp_path, whose parents only its owner may enter: as root, the tests give up being that.
    path = Path(tempfile.mkdtemp(dir="/tmp"))
    path.chmod(0o755)
    closed = path / "closed"
    closed.mkdir(mode=0o000)
    as_root = os.name == "posix" and os.geteuid() == 0
    if as_root:
        os.seteuid(65534)
    yield closed
    if as_root:
        os.seteuid(0)
    closed.rmdir()
    path.rmdir()


@pytest.fixture
def ids():
    """The ids of what was found."""
    return lambda discovery: [candidate.id for candidate in discovery.candidates]


@pytest.fixture
def messages():
    """Level and message of every diagnostic."""
    return lambda discovery: [f"{d.level}: {d.message}" for d in discovery.diagnostics]


@pytest.fixture
def python_path():
    """The environment of a subprocess that imports the same code as the tests."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
