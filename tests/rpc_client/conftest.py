"""A real server in a process of its own, for the client to speak with."""

import os
import sys
from pathlib import Path

import pytest

from pihost.rpc_client import RpcClient

ROOT = Path(__file__).parents[2]
SERVER = (sys.executable, "-P", "-m", "pihost", "--mode", "rpc")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# A project\n")
    return folder


@pytest.fixture
def extend(nobodys_home):
    """Write an extension of the user's own."""

    def write(name, code):
        file = nobodys_home / ".pihost" / "extensions" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)

    return write


@pytest.fixture
def start(project):
    """Start a server in the project."""

    def start_server(*arguments, argv=None, dialogs=None):
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        return RpcClient.start(argv or (*SERVER, *arguments), cwd=project, env=env, dialogs=dialogs)

    return start_server


@pytest.fixture
def scripted(start):
    """Start a server that a few lines of Python play."""
    return lambda code: start(argv=(sys.executable, "-u", "-c", code))
