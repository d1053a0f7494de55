"""The commands: what they print, and with which exit code they end."""

import json

import pytest

BROKEN = "import no_such_module"
SHOWN = ["id", "source", "state", "path", "distribution", "version", "load_ms", "tools", "commands", "flags"]


@pytest.mark.parametrize("words", [["--version"], ["-p", "--version"], ["-V"]])
def test_the_version(pihost, words):
    code, out, err = pihost(*words)
    assert (code, out.split()[0], err) == (0, "pihost", "")


def test_version_and_help_after_two_dashes_are_prompt(pihost):
    _code, out, _err = pihost("-p", "--no-session", "--", "--version", "--help")
    assert "Options" not in out
    assert "language model" in out


def test_help_is_found_anywhere_and_fits_a_terminal(pihost):
    code, out, err = pihost("-p", "x", "--help")
    assert (code, err) == (0, "")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_help_with_a_broken_extension_still_helps_and_names_it(pihost):
    pihost.extend("broken", BROKEN)
    pihost.extend(
        "flagged", "def setup(api): api.register_flag('loud', type='boolean', description='Loudly')"
    )
    code, out, err = pihost("--help")
    assert code == 0
    assert out.index("Options of flagged") < out.index("--loud")
    assert "'broken'" in err


def test_the_listing_shows_each_in_its_state_and_fits_a_terminal(pihost):
    pihost.extend("broken", BROKEN)
    pihost.extend(
        "a_name_that_is_really_rather_long", "def setup(api): api.register_command('go', handler=print)"
    )
    pihost.extend("mine", "1/0", where="local")
    code, out, err = pihost("extensions", "list")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "commands: go" in " ".join(out.split())
    assert "No module named 'no_such_module'" in " ".join(out.split())
    assert "not trusted" in err


def test_the_listing_as_json(pihost):
    pihost.extend("healthy")
    pihost.extend("broken", BROKEN)
    code, out, _err = pihost("extensions", "list", "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    assert code == 0
    assert list(rows["healthy"])[: len(SHOWN)] == SHOWN
    assert {name: row["state"] for name, row in rows.items()} == {"healthy": "loaded", "broken": "admitted"}


def test_without_loading_nothing_is_imported(pihost):
    pihost.extend("marker", "from pathlib import Path\nPath('ran').touch()\ndef setup(api): ...")
    code, out, _err = pihost("extensions", "list", "--no-load", "--json")
    assert (code, json.loads(out)[0]["state"]) == (0, "admitted")
    assert not (pihost.cwd / "ran").exists()


def test_what_a_listing_loads_it_also_ends(pihost):
    code = "from pathlib import Path\ndef setup(api): api.on_close(lambda: Path('closed').touch())"
    pihost.extend("holder", code)
    assert pihost("extensions", "list")[0] == 0
    assert (pihost.cwd / "closed").exists()


def test_where_there_are_none_it_says_where_to_put_one(pihost):
    assert str(pihost.home / "extensions") in pihost("extensions", "list")[1]


def test_showing_one_gives_all_of_it_with_the_traceback(pihost):
    file = pihost.extend("broken", BROKEN)
    code, out, _err = pihost("extensions", "show", "Broken")
    assert code == 0
    assert f"path: {file}" in out
    assert "line 1" in out
    assert json.loads(pihost("extensions", "show", "broken", "--json")[1])["state"] == "admitted"


def test_disabling_a_broken_one_and_enabling_it_again(pihost):
    pihost.extend("broken", BROKEN)
    assert pihost("-p", "ls")[0] == 1
    assert pihost("extensions", "disable", "broken")[0] == 0
    assert pihost("-p", "ls")[0] == 0
    assert "already" in pihost("extensions", "disable", "broken")[1]
    assert pihost("extensions", "enable", "broken")[0] == 0
    assert pihost("-p", "ls")[0] == 1


def test_a_pattern_may_be_disabled(pihost):
    pihost.extend("acme_one")
    assert pihost("extensions", "disable", "acme*")[0] == 0
    code, _out, err = pihost("extensions", "enable", "acme_one")
    assert code == 2
    assert "acme*" in err


def test_the_projects_settings_keep_out_its_own_only(pihost):
    pihost.extend("guard")
    pihost.extend("mine", where="local")
    code, _out, err = pihost("extensions", "disable", "guard", "--project")
    assert code == 2
    assert "project" in err
    assert pihost("extensions", "disable", "mine", "--project")[0] == 0
    assert "mine" in (pihost.cwd / ".pihost" / "settings.toml").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["extensions", "disable", "gaurdian"], "guardian"),
        (["extensions", "enable", "gaurdian"], "guardian"),
        (["extensions", "show", "gaurdian"], "guardian"),
        (["extensions", "lst"], "list"),
        (["extensions", "nonsense"], "enable"),
        (["trust", "alow"], "allow"),
        (["hooks", "tool_cal"], "tool_call"),
        (["extensions", "list", "--jsn"], "--json"),
        (["trust", "status", "nowhere"], "not a directory"),
        (["tool"], "NAME"),
        (["tool", "read", "path=a", "path=b"], "twice"),
        (["tool", "read", "README.md"], "key=value"),
        (["tool", "read", "{"], "JSON"),
        (["--nope"], "--nope"),
        (["-p"], "nothing to do"),
        (["-p", "--session=", "x"], "--session"),
    ],
)
def test_bad_usage_is_exit_code_2_and_says_what_would_be_right(pihost, words, expected):
    pihost.extend("guardian")
    code, out, err = pihost(*words)
    assert (code, out) == (2, "")
    assert expected in err
    assert err.startswith("Error: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("group", ["extensions", "trust"])
def test_a_group_alone_shows_its_commands_and_is_bad_usage(pihost, group):
    code, out, err = pihost(group)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")


@pytest.mark.parametrize(
    "words", [["extensions", "--help"], ["tool", "--help"], ["trust", "allow", "--help"]]
)
def test_every_command_helps(pihost, words):
    code, out, _err = pihost(*words)
    assert (code, out.split()[0]) == (0, "Usage:")


def test_the_list_of_hooks_fits_a_terminal(pihost):
    code, out, _err = pihost("hooks")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    assert len(json.loads(pihost("hooks", "--json")[1])) > 20
    assert json.loads(pihost("hooks", "tool_call", "--json")[1])["kind"] == "gate"


def test_a_mistyped_id_makes_no_session(pihost):
    code, _out, err = pihost("-p", "--session", "typo", "ls")
    assert code == 1
    assert "There is no session 'typo'" in err
    assert not (pihost.cwd / "typo").exists()


def test_a_directorys_name_does_not_forge_a_line_of_the_list(pihost, monkeypatch):
    folder = pihost.cwd / "app\n/other: trusted"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    for words in (("allow",), ("list",), ("status",)):
        _code, out, _err = pihost("trust", *words)
        assert not any(line.startswith("/other") for line in out.splitlines()), words


def test_trust_is_decided_shown_and_taken_back(pihost):
    pihost.extend("mine", where="local")
    before = json.loads(pihost("trust", "status", "--json")[1])
    assert (before["trusted"], before["guarded"]) == (False, [str(pihost.cwd / ".pihost" / "extensions")])
    assert pihost("trust", "allow")[0] == 0
    assert json.loads(pihost("trust", "status", "--json")[1])["trusted"] is True
    assert [entry["path"] for entry in json.loads(pihost("trust", "list", "--json")[1])] == [str(pihost.cwd)]
    assert pihost("trust", "forget")[0] == 0
    assert json.loads(pihost("trust", "list", "--json")[1]) == []


def test_a_locked_session_is_told_with_what_to_do(pihost):
    from pihost.session import SessionStore

    file = pihost.write("s.jsonl", "")
    with SessionStore.open(file, pihost.cwd):
        code, _out, err = pihost("-p", "--session", file.name, "ls")
    assert code == 1
    assert "in use" in err
    assert "Hint: " in err


def test_a_session_is_named_also_where_it_goes_on(pihost):
    assert pihost("-p", "-n", "first", "ls")[0] == 0
    assert pihost("-p", "-c", "-n", "second", "ls")[0] == 0
    (file,) = pihost.home.rglob("*.jsonl")
    names = [json.loads(line).get("name") for line in file.read_text().splitlines()]
    assert [name for name in names if name] == ["first", "second"]


def test_a_flag_reaches_its_extension_by_any_name(pihost):
    code = """
def setup(api):
    api.register_flag("out-file", type="string")
    api.register_flag("be.loud", type="boolean", default=False)
    @api.on("session_start")
    def started(event, ctx):
        from pathlib import Path
        Path(api.get_flag("out-file")).write_text(str(api.get_flag("be.loud")))
"""
    pihost.extend("flagged", code)
    assert pihost("-p", "--out-file", "a.txt", "--be.loud", "ls")[0] == 0
    assert (pihost.cwd / "a.txt").read_text() == "True"


def test_a_flag_with_the_name_of_an_option_of_the_host_is_a_conflict(pihost):
    pihost.extend("greedy", "def setup(api): api.register_flag('model', type='boolean')")
    code, out, err = pihost("-p", "ls")
    assert (code, out) == (1, "")
    assert "--model" in err
    assert "--disable greedy" in err


def test_a_fault_is_told_once_whenever_it_happens(pihost):
    names = ("session_start", "agent_start", "session_shutdown")
    code = "def setup(api):\n" + "".join(f" api.on('{name}', lambda e, c: 1 / 0)\n" for name in names)
    pihost.extend("failing", code)
    code, out, err = pihost("-p", "ls")
    assert (code, out) == (0, "README.md\n")
    assert [err.count(f"failed in {name}") for name in names] == [1, 1, 1]


def test_a_fault_in_one_call_of_a_tool_is_told(pihost):
    pihost.extend("failing", "def setup(api): api.on('tool_execution_end', lambda e, c: 1 / 0)")
    code, _out, err = pihost("tool", "ls")
    assert code == 0
    assert err.count("failed in tool_execution_end") == 1


def test_going_on_with_what_loaded_tells_each_error_once(pihost, monkeypatch):
    monkeypatch.setenv("PIHOST_ON_EXTENSION_ERROR", "continue")
    pihost.extend("broken", BROKEN)
    code, out, err = pihost("-p", "ls")
    assert (code, out) == (0, "README.md\n")
    assert err.count("no_such_module") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["read", "path=README.md", "limit=1"], "# A project"),
        (["read", '{"path": "README.md"}'], "# A project"),
        (["write", "path=n.txt", "content=123"], "n.txt"),
        (["bash", "command=echo a=b"], "a=b"),
        (["grep", "pattern=project", "glob=*.md", "ignore_case=true"], "README.md"),
        (["grep", "pattern=project", "glob=null"], "No"),
    ],
)
def test_arguments_of_a_tool_are_read_by_its_schema(pihost, words, expected):
    code, out, err = pihost("tool", *words)
    assert (code, err) == (0, "")
    assert expected in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["raed"], "read"), (["read", "limit=many"], "limit"), (["read", "pth=x"], "path")],
)
def test_an_error_result_is_exit_code_1_on_stderr(pihost, words, expected):
    code, out, err = pihost("tool", *words)
    assert (code, out) == (1, "")
    assert expected in err


def test_an_error_result_as_json_is_still_on_stdout(pihost):
    code, out, _err = pihost("tool", "bash", "command=exit 3", "--json")
    assert code == 1
    assert list(json.loads(out)) == ["content", "details", "structured_content", "is_error"]
