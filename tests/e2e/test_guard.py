"""The first-party guard, installed by pip as anybody would."""

import importlib.util
from pathlib import Path

import pytest

GUARD = Path(__file__).parents[2] / "plugins" / "pihost-guard"


@pytest.fixture(scope="module")
def guarded(new_environment):
    """An environment in which pihost-guard is installed."""
    if importlib.util.find_spec("pihost_guard") and not GUARD.exists():
        return new_environment()
    return new_environment(GUARD)


def test_a_destructive_command_is_refused_where_nobody_can_be_asked(project_in, guarded):
    project = project_in(guarded)
    project.write("build/x", "kept")
    done = project.run("-p", "bash: rm -rf build", installed=True)
    assert done.returncode == 1
    assert "destructive" in done.stdout
    assert "pihost-guard" in done.stderr
    assert (project.cwd / "build" / "x").read_text() == "kept"


def test_a_configured_path_is_read_only_for_write_and_edit_and_not_for_read(project_in, guarded):
    project = project_in(guarded)
    project.write("poetry.lock", "old\n")
    project.write(
        project.home / ".pihost" / "settings.toml", '[extension.pihost-guard]\nread_only = ["*.lock"]\n'
    )
    assert project.run("-p", "write poetry.lock: new", installed=True).returncode == 1
    assert project.run("-p", "edit poetry.lock: old => new", installed=True).returncode == 1
    assert project.run("-p", "read poetry.lock", installed=True).stdout == "old\n"
    assert project.run("-p", "write other.txt: new", installed=True).returncode == 0


def test_a_wrong_setting_of_the_guard_stops_the_start(project_in, guarded):
    project = project_in(guarded)
    project.write(project.home / ".pihost" / "settings.toml", "[extension.pihost-guard]\nread_only = 5\n")
    done = project.run("-p", "ls", installed=True)
    assert done.returncode == 1
    assert "read_only" in done.stderr
