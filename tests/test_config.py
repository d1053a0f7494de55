from pathlib import Path

import pytest

from pihost.config import HostConfig, HostOptions


def test_the_home_is_below_the_users_own_directory_by_default(monkeypatch):
    monkeypatch.setenv("HOME", "/users/someone")
    monkeypatch.delenv("PIHOST_HOME", raising=False)
    assert HostConfig().resolve_home() == Path("/users/someone/.pihost")


def test_a_tilde_in_the_environment_variable_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/users/someone")
    monkeypatch.setenv("PIHOST_HOME", "~/x")
    assert HostConfig().resolve_home() == Path("/users/someone/x")


def test_an_embedding_application_has_names_of_its_own(monkeypatch):
    monkeypatch.setenv("HOME", "/users/someone")
    monkeypatch.setenv("PIHOST_HOME", "/elsewhere")
    config = HostConfig(config_dir=".acme", env_prefix="ACME")
    assert config.resolve_home() == Path("/users/someone/.acme")
    assert config.project_dir(Path("/p")) == Path("/p/.acme")


def test_a_home_that_is_given_wins_over_the_environment(monkeypatch):
    monkeypatch.setenv("PIHOST_HOME", "/elsewhere")
    assert HostConfig(home=Path("/given")).resolve_home() == Path("/given")


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("PIHOST_X", "")
    assert HostConfig().env("X") is None


def test_options_take_paths_and_lists():
    options = HostOptions(extension_paths=[Path("a.py"), "b.py"], tools=["read"])
    assert options.extension_paths == ("a.py", "b.py")
    assert options.tools == ("read",)


def test_options_are_frozen():
    with pytest.raises(AttributeError):
        HostOptions().mode = "json"
