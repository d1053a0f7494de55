"""``pihost mcp list``."""

import json

import pytest
from pihost_mcp.cli import command


@pytest.fixture
def listed(project, tmp_path, monkeypatch, names_servers, capfd, package):
    """What the list says, where the user has these servers: exit code, lines, what stderr holds."""
    home = tmp_path / "user"
    for name, value in {"PIHOST_HOME": home, "PIHOST_DISABLE_INSTALLED": 1, "COLUMNS": 80}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(project)

    def run(*words, **servers):
        names_servers(home, servers)
        code = command.main(["list", "-e", str(package), *words], standalone_mode=False)
        out, err = capfd.readouterr()
        return code, out.splitlines(), err

    return run


def test_it_shows_every_server_on_eighty_columns(listed, server, project, names_servers):
    names_servers(project / ".pihost", {"theirs": {"command": "touch", "args": ["ran"]}})
    code, lines, _ = listed(
        things=server(),
        gone={"command": "no-such-program"},
        off={"command": "x", "disabled": True},
        secret=server(env={"TOKEN": "$NO_SUCH_TOKEN"}),
        **{"long-" * 40: {"command": "x", "disabled": True}},
    )
    shown = " ".join(" ".join(lines).split())
    assert code == 0
    for words in (
        "mcp.json failed: there is no program 'no-such-program'",
        "mcp.json disabled",
        "mcp.json failed: needs $NO_SUCH_TOKEN, which is not set",
        "theirs .pihost/mcp.json not trusted",
        "mcp.json connected, 1 tool",
    ):
        assert words in shown
    assert max(map(len, lines)) <= 80
    assert not (project / "ran").exists()


def test_for_programs_it_is_a_list_of_objects(listed, server):
    _, (line,), _ = listed("--json", things=server(), off={"disabled": True})
    off, things = json.loads(line)
    assert (off["name"], off["state"], off["tools"]) == ("off", "disabled", [])
    assert (things["state"], things["tools"], things["error"]) == ("ready", ["mcp__things__echo"], None)
    assert things["source"].endswith("/user/mcp.json")


def test_it_says_that_there_are_none(listed):
    assert listed()[1] == ["There are none: mcp.json names no server, and no extension registers one."]


def test_a_trusted_projects_servers_stand_like_the_users(listed, server, project, names_servers):
    names_servers(project / ".pihost", {"theirs": server()})
    _, lines, _ = listed("--approve")
    assert lines == ["theirs  .pihost/mcp.json  connected, 1 tool"]


def test_a_file_that_cannot_be_read_is_told_beside_the_list(listed, project):
    (project / ".pihost").mkdir()
    (project / ".pihost" / "mcp.json").write_text("{")
    _, lines, said = listed("--approve")
    assert lines[0].startswith("There are none")
    assert f"Warning: {project / '.pihost' / 'mcp.json'}: is not JSON" in said


def test_without_the_extension_nothing_is_run(project, listed, server, capfd):
    listed(things=server("open('ran', 'w')"))
    (project / "ran").unlink()
    command.main(["list", "-ne"], standalone_mode=False)
    assert "stopped: no extension runs it" in " ".join(capfd.readouterr().out.split())
    assert not (project / "ran").exists()
