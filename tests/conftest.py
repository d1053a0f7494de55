"""Fixtures that tests of more than one folder use."""

import gzip
import json
import tempfile
from pathlib import Path

import hypothesis
import pytest

# A loaded machine must not fail a property; what an example may take is not what these tests are about.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

VECTORS = Path(__file__).parent / "vectors"


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path_factory, monkeypatch):
    """Keep every test away from what is outside: home, temporary files, installed extensions, settings.

    Outputs and locks go below the temporary directory, which processes that a test starts inherit.
    """
    around = tmp_path_factory.mktemp("around")
    home, temporary = around / "home", around / "tmp"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PIHOST_HOME", str(home / ".pihost"))
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "1")
    monkeypatch.delenv("PIHOST_ON_EXTENSION_ERROR", raising=False)
    return home


def pytest_ignore_collect(collection_path, config):
    """Leave the benchmarks out unless they are asked for by path."""
    asked = any("benchmarks" in str(argument) for argument in config.args)
    return True if collection_path.name == "benchmarks" and not asked else None


@pytest.fixture(scope="session")
def load_vectors():
    """Read the expected values in ``tests/vectors/<name>.json`` or ``<name>.json.gz``."""

    def load(name):
        packed = VECTORS / f"{name}.json.gz"
        if packed.exists():
            return json.loads(gzip.decompress(packed.read_bytes()))
        return json.loads((VECTORS / f"{name}.json").read_bytes())

    return load
