import os

import pytest

from pihost.trust import has_trust_requiring_resources

NAMES = ["settings.toml", "mcp.json", "extensions", "skills", "prompts", "SYSTEM.md", "APPEND_SYSTEM.md"]


@pytest.mark.parametrize("name", NAMES)
def test_each_guarded_name_needs_trust(tmp_path, home, name):
    (tmp_path / ".pihost").mkdir()
    (tmp_path / ".pihost" / name).touch()
    assert has_trust_requiring_resources(tmp_path, home=home) == (tmp_path / ".pihost" / name,)


def test_a_bare_configuration_directory_needs_none(tmp_path, home):
    (tmp_path / ".pihost").mkdir()
    (tmp_path / ".pihost" / "notes.txt").touch()
    (tmp_path / "AGENTS.md").touch()
    assert has_trust_requiring_resources(tmp_path, home=home) == ()


def test_a_file_in_the_place_of_the_directory_needs_none(tmp_path, home):
    (tmp_path / ".pihost").touch()
    assert has_trust_requiring_resources(tmp_path, home=home) == ()


def test_the_directory_may_have_another_name(project, home):
    assert has_trust_requiring_resources(project, config_dir=".acme", home=home) == ()
    (project / ".pihost").rename(project / ".acme")
    assert has_trust_requiring_resources(project, config_dir=".acme", home=home) != ()


def test_the_users_own_directory_never_counts(project):
    """The working directory is the user's home directory, reached by its name or by a link."""
    link = project.parent / "link"
    link.symlink_to(project)
    assert has_trust_requiring_resources(project, home=project / ".pihost") == ()
    assert has_trust_requiring_resources(link, home=project / ".pihost") == ()


def test_without_a_home_the_hosts_usual_one_is_left_out(project, monkeypatch):
    monkeypatch.setenv("PIHOST_HOME", str(project / ".pihost"))
    assert has_trust_requiring_resources(project) == ()
    monkeypatch.delenv("PIHOST_HOME")
    assert has_trust_requiring_resources(project) != ()


def test_a_link_counts_wherever_it_leads(tmp_path, home):
    """What it leads to can come after the question was answered."""
    (tmp_path / ".pihost").mkdir()
    (tmp_path / ".pihost" / "skills").symlink_to(tmp_path / "nowhere")
    assert has_trust_requiring_resources(tmp_path, home=home) == (tmp_path / ".pihost" / "skills",)


def test_a_directory_that_cannot_be_looked_into_counts(tmp_path, home):
    """A loop of links stands for every directory whose names cannot be seen."""
    (tmp_path / ".pihost").symlink_to(".pihost")
    assert len(has_trust_requiring_resources(tmp_path, home=home)) == len(NAMES)


def test_a_relative_directory_is_taken_from_the_working_directory(project, home, monkeypatch):
    monkeypatch.chdir(project.parent)
    assert has_trust_requiring_resources("proj", home=home) == (project / ".pihost" / "extensions",)


def test_looking_imports_and_opens_nothing(project, home):
    """A pipe would keep whoever opens it waiting."""
    os.mkfifo(project / ".pihost" / "settings.toml")
    assert project / ".pihost" / "settings.toml" in has_trust_requiring_resources(project, home=home)
