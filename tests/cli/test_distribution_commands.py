"""Commands that installed distributions bring."""

import importlib.util
import json
import py_compile
import sys

import pytest

GREET = """
import click
from pathlib import Path
Path("imported").touch()

@click.command(help="Say hello.")
@click.argument("name")
def hello(name):
    click.echo(f"hello {name}")
    return 3

number = 5
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with commands on the path."""

    def make(entries, code=GREET, site=None):
        folder = site or tmp_path / "site"
        info = folder / "acme_cli-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-cli\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {target}" for name, target in entries.items())
        (info / "entry_points.txt").write_text(f"[pihost.extensions.cli]\n{lines}\n")
        (folder / "acme_cli_module.py").write_text(code)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delenv("PIHOST_DISABLE_INSTALLED")
        monkeypatch.delitem(__import__("sys").modules, "acme_cli_module", raising=False)

    return make


def test_a_command_runs_by_its_name_and_its_number_is_the_exit_code(pihost, install):
    install({"hello": "acme_cli_module:hello"})
    assert pihost("hello", "you") == (3, "hello you\n", "")
    assert pihost("hello")[0] == 2


def test_nothing_is_imported_until_it_is_named_or_listed(pihost, install):
    install({"hello": "acme_cli_module:hello"})
    pihost("extensions", "list")
    pihost("-p", "ls")
    pihost("goodbye")
    assert not (pihost.cwd / "imported").exists()


def test_help_lists_it(pihost, install):
    install({"hello": "acme_cli_module:hello", "broken": "no_such_module:x"})
    code, out, _err = pihost("--help")
    assert code == 0
    assert "hello" in out
    assert "Say hello." in out
    assert "cannot be imported" in " ".join(out.split())


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("no_such_module:x", "no_such_module"),
        ("acme_cli_module:nobody", "nobody"),
        ("acme_cli_module:number", "no click command"),
    ],
)
def test_what_is_no_command_is_told_with_the_distribution(pihost, install, target, expected):
    install({"hello": target})
    code, out, err = pihost("hello")
    assert (code, out) == (2, "")
    assert expected in err
    assert "acme-cli" in err


def test_a_command_of_the_project_itself_needs_trust(pihost, install):
    install({"hello": "acme_cli_module:hello"}, site=pihost.cwd / "planted")
    code, out, err = pihost("hello", "you")
    assert (code, out) == (2, "")
    assert "not trusted" in err
    assert not (pihost.cwd / "imported").exists()
    assert pihost("trust", "allow")[0] == 0
    assert pihost("hello", "you")[:2] == (3, "hello you\n")


def test_the_hosts_own_commands_come_first(pihost, install):
    install({"tool": "acme_cli_module:hello"})
    assert json.loads(pihost("tool", "ls", "--json")[1])["is_error"] is False


def test_with_installed_extensions_off_there_is_none(pihost, install, monkeypatch):
    install({"hello": "acme_cli_module:hello"})
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "1")
    assert "hello you" not in pihost("hello", "you")[1]


def test_exact_files_admit_a_command_of_the_project_until_one_changes(pihost, install, monkeypatch):
    """The start, ``trust status``, ``trust allow`` and the command itself guard the same files."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    install({"hello": "acme_cli_module:hello"}, site=pihost.cwd / "planted")
    module = pihost.cwd / "planted" / "acme_cli_module.py"
    assert str(module) in json.loads(pihost("trust", "status", "--json")[1])["guarded"]
    assert "left out" in pihost("-p", "ls")[2]
    assert pihost("trust", "allow", "--pin")[0] == 0
    for _time in range(2):
        assert pihost("hello", "you")[:2] == (3, "hello you\n")
    assert "left out" not in pihost("-p", "ls")[2]
    module.write_text(GREET + "\n")
    assert "not trusted" in pihost("hello", "you")[2]


def test_bytecode_that_came_with_a_command_of_the_project_is_not_run(pihost, install):
    install({"hello": "acme_cli_module:hello"}, site=pihost.cwd / "planted")
    module = pihost.cwd / "planted" / "acme_cli_module.py"
    evil = pihost.write("evil.py", "1 / 0")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), importlib.util.cache_from_source(str(module)), invalidation_mode=mode)
    pihost("trust", "allow")
    assert pihost("hello", "you")[:2] == (3, "hello you\n")
