"""``pihost sessions``, ``pihost models``, and the options that choose a session."""

import json
import os
import stat
from pathlib import Path

import pytest

MODELS = """
from pihost.models import Model, ProviderConfig
def setup(api):
    models = [Model(provider="cloud", id="big", context_window=1000, images=True, reasoning=True),
              Model(provider="cloud", id="small")]
    api.register_provider("cloud", ProviderConfig(base_url="https://example.com", api="x", models=models))
    api.on("session_start", lambda event, ctx: print("started"))
"""


@pytest.fixture
def talked(pihost):
    """The id of a session in which two things were said."""
    pihost("-p", "-n", "my work", "read README.md", "ls")
    _code, out, _err = pihost("sessions", "list", "--json")
    return json.loads(out)[0]["id"]


def listed(pihost):
    return json.loads(pihost("sessions", "list", "--json")[1])


def test_the_list_fits_a_terminal(pihost, talked):
    pihost("-p", "nonsense " * 40)
    code, out, err = pihost("sessions", "list")
    assert (code, err) == (0, "")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert f"{talked[:8]}  " in out
    assert "my work" in out


def test_a_list_of_none_is_empty(pihost):
    assert pihost("sessions", "list") == (0, "", "")
    assert pihost("sessions", "list", "--json") == (0, "[]\n", "")


def test_all_lists_those_of_other_directories_with_them(pihost, talked, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert pihost("sessions", "list")[1] == ""
    assert str(pihost.cwd) in "".join(pihost("sessions", "list", "--all")[1].split())


def test_show_prints_what_was_said(pihost, talked):
    code, out, err = pihost("sessions", "show", talked[:8])
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [f"session  {talked}", "name     my work"]
    assert '→ read {"path":"README.md"}' in out


def test_show_hides_nothing_from_a_terminal(pihost):
    pihost("-p", "say \x1b[31mred")
    identity = listed(pihost)[0]["id"]
    out = pihost("sessions", "show", identity)[1]
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_export_writes_a_private_page_and_names_it(pihost, talked):
    code, out, err = pihost("sessions", "export", talked[:8])
    file = pihost.cwd / f"session-{talked[:8]}.html"
    assert (code, out, err) == (0, f"{file}\n", "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "<!DOCTYPE html>" in file.read_text()


def test_export_goes_where_it_is_told(pihost, talked):
    pihost.write("out.html", "old")
    assert pihost("sessions", "export", talked, "-o", "out.html")[0] == 0
    assert (pihost.cwd / "out.html").read_text().startswith("<!DOCTYPE html>")
    assert pihost("sessions", "export", talked, "-o", "-")[1].startswith("<!DOCTYPE html>")


def make_link(path):
    (path.parent / "elsewhere.txt").write_text("kept")
    path.symlink_to("elsewhere.txt")


@pytest.mark.parametrize("make", [make_link, os.mkfifo, Path.mkdir], ids=["link", "pipe", "directory"])
def test_export_replaces_nothing_but_a_file(pihost, talked, make):
    """As root it could replace ``/dev/null``."""
    path = pihost.cwd / "out.html"
    make(path)
    before = path.lstat().st_mode
    code, out, err = pihost("sessions", "export", talked, "-o", "out.html")
    assert (code != 0, out, path.lstat().st_mode) == (True, "", before)
    assert f"{path} is no regular file" in err


def test_a_damaged_file_is_shown_and_exported_and_the_damage_told(pihost, talked):
    (file,) = (pihost.home / "sessions").rglob("*.jsonl")
    with file.open("ab") as end:
        end.write(b'{"type":"message","id":"torn')
    for command in (["show", str(file)], ["export", str(file), "-o", "-"]):
        code, out, err = pihost("sessions", *command)
        assert code == 0
        assert "README.md" in out
        assert "Warning" in err
        assert "not one whole record" in err


@pytest.mark.parametrize("command", ["show", "export"])
def test_what_is_no_session_is_refused(pihost, command):
    code, out, err = pihost("sessions", command, "README.md")
    assert (code, out) == (1, "")
    assert "cannot be opened as a session" in err
    assert "There is no session 'abcd1234'" in pihost("sessions", command, "abcd1234")[2]


class TestChoosing:
    @pytest.mark.parametrize(
        "words", [["--resume={}"], ["-r", "{}"], ["--session", "{}"], ["--session={}"], ["-c"]]
    )
    def test_a_session_goes_on(self, pihost, talked, words):
        pihost("-p", *(word.format(talked[:8]) for word in words), "read README.md")
        assert [one["id"] for one in listed(pihost)] == [talked]

    def test_a_fork_is_a_session_of_its_own(self, pihost, talked):
        (parent,) = (pihost.home / "sessions").rglob("*.jsonl")
        before = parent.read_bytes()
        code, out, _err = pihost("-p", "--fork", talked[:8], "/tree")
        assert code == 0
        assert "README.md" in out
        sessions = listed(pihost)
        assert len(sessions) == 2
        assert sessions[0]["parent_session"] == str(parent)
        assert parent.read_bytes() == before

    def test_a_fork_of_a_file_whose_directory_is_gone_works_here(self, pihost, talked, monkeypatch, tmp_path):
        (file,) = (pihost.home / "sessions").rglob("*.jsonl")
        file.write_bytes(file.read_bytes().replace(str(pihost.cwd).encode(), b"/gone"))
        assert pihost("-p", "--fork", str(file), "ls")[:2] == (0, "README.md\n")

    def test_resume_needs_somebody_to_ask(self, pihost, talked):
        code, _out, err = pihost("-p", "--resume", "ls")
        assert code == 2
        assert "nobody to ask" in err
        assert "--resume=ID" in err

    def test_a_prompt_after_resume_is_a_prompt(self, pihost, talked):
        assert "nobody to ask" in pihost("-p", "-r", "added")[2]

    @pytest.mark.parametrize("option", ["--resume=ffff0000", "--session=ffff0000", "--fork=ffff0000"])
    def test_an_id_that_nobody_has_is_an_error(self, pihost, talked, option):
        code, _out, err = pihost("-p", option, "ls")
        assert code == 1
        assert "There is no session 'ffff0000'" in err
        assert [path.name for path in pihost.cwd.iterdir()] == ["README.md"]

    @pytest.mark.parametrize("words", [["-c", "--no-session"], ["--fork=x", "--session=y"], ["-r", "-c"]])
    def test_two_choices_exclude_one_another(self, pihost, words):
        code, _out, err = pihost("-p", *words, "ls")
        assert code == 2
        assert "exclude one another" in err

    def test_a_fork_of_nothing_is_an_error(self, pihost):
        code, _out, err = pihost("-p", "--fork", "./missing.jsonl", "ls")
        assert code == 1
        assert "missing.jsonl cannot be opened as a session: No such file" in err


class TestModels:
    def test_every_model_is_listed_with_what_it_can(self, pihost):
        pihost.extend("models", MODELS)
        code, out, err = pihost("models")
        assert (code, err) == (0, "")
        assert [line.split()[0] for line in out.splitlines()] == ["local/recipe", "cloud/big", "cloud/small"]
        assert "1000 tokens, images, thinks" in out

    def test_a_pattern_lists_those_that_fit_and_no_session_starts(self, pihost):
        pihost.extend("models", MODELS)
        _code, out, err = pihost("models", "cloud", "--json")
        assert [model["id"] for model in json.loads(out)] == ["big", "small"]
        assert "started" not in err

    def test_a_pattern_that_fits_none_names_near_ones(self, pihost):
        code, out, err = pihost("models", "recip3")
        assert (code, out) == (1, "")
        assert "local/recipe" in err

    def test_a_broken_extension_is_told_and_the_rest_listed(self, pihost):
        pihost.extend("broken", "import no_such_module")
        code, out, err = pihost("models")
        assert code == 0
        assert "local/recipe" in out
        assert "no_such_module" in err

    def test_a_session_starts_with_the_first_of_models(self, pihost):
        pihost.extend("models", MODELS)
        pihost("-p", "--models", "small,cloud", "hello")
        (file,) = (pihost.home / "sessions").rglob("*.jsonl")
        changes = [json.loads(line) for line in file.read_text().splitlines() if "model_change" in line]
        assert [change["model_id"] for change in changes] == ["small"]

    def test_a_model_of_models_that_is_not_there_stops_the_start(self, pihost):
        code, _out, err = pihost("-p", "--models", "recipe,nope", "ls")
        assert code == 1
        assert "'nope'" in err


def test_what_is_wrong_with_a_session_gone_on_with_is_told_once_after_its_prompt(pihost, talked):
    """Another project's faults are none of the start's, and another session may follow."""
    pihost.extend("late", "from pathlib import Path\nif Path('now').exists(): 1 / 0\ndef setup(api): ...")
    code, out, err = pihost("-p", "write now: x", f"/resume {talked[:8]}", "/new", "ls")
    assert code == 0
    assert out.endswith("now\nREADME.md\n")
    assert err.count("Failed to load extension 'late'") == 1
    assert "failed in load" not in err
