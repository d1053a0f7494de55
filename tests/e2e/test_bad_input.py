"""Whatever is wrong, the message says what and where, the exit code is right and nothing is lost."""

import pytest

pytestmark = pytest.mark.installs

BROKEN = {
    "missing_module": ("import no_such_module_at_all", "No module named 'no_such_module_at_all'"),
    "exits": ("raise SystemExit(0)", "SystemExit"),
    "recurses": ("def f(): return f()\nf()", "RecursionError"),
    "no_syntax": ("def broken(:", "SyntaxError"),
    "neither": ("x = 1", "defines neither setup() nor any hook implementation"),
    "setup_number": ("setup = 5", "setup"),
    "setup_two": ("def setup(api, extra): ...", "extra"),
    "action_early": ("def setup(api):\n    api.send_message(None)", "send_message"),
    "no_method": ("def setup(api):\n    api.register_tol(1)", "register_tool"),
    "unknown_hook": ("from pihost import hookimpl\n@hookimpl\ndef tool_cal(event): ...", "tool_call"),
    "wrong_argument": ("from pihost import hookimpl\n@hookimpl\ndef tool_call(evnt): ...", "event"),
}


def errors(done):
    return sum(line.startswith("Error:") for line in done.stderr.splitlines())


@pytest.mark.parametrize("name", ["missing_module", "unknown_hook"])
def test_a_broken_extension_stops_the_start_and_is_named_once(project, name):
    code, expected = BROKEN[name]
    project.extend("global", name, code)
    done = project.run("-p", "write a.txt: x")
    assert done.returncode == 1
    assert errors(done) == 1
    assert repr(name) in done.stderr
    assert expected in done.stderr
    assert 'Hint: Start without extensions using "pihost -ne".' in done.stderr
    assert not (project.cwd / "a.txt").exists()


def test_broken_extensions_do_not_keep_the_healthy_one_from_working_when_asked_to_go_on(project):
    for name, (code, _expected) in BROKEN.items():
        project.extend("global", name, code)
    project.extend(
        "global", "healthy", "def setup(api):\n    api.on('input', lambda event, ctx: print('seen'))"
    )
    project.env["PIHOST_ON_EXTENSION_ERROR"] = "continue"
    done = project.run("-p", "read README.md")
    assert done.returncode == 0
    assert errors(done) == len(BROKEN)
    assert "# A project" in done.stdout


def test_without_extensions_it_starts(project):
    project.extend("global", "broken", "1/0")
    done = project.run("-ne", "-p", "read README.md")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "command", [["--help"], ["--version"], ["hooks"], ["extensions", "list"], ["trust", "status"]]
)
def test_what_manages_extensions_works_whatever_is_broken(project, command):
    project.extend("global", "broken", "import no_such_module_at_all")
    done = project.run(*command)
    assert done.returncode == 0
    assert done.stdout


def test_the_listing_and_the_help_name_the_broken_one_and_it_can_be_disabled(project):
    project.extend("global", "broken", "import no_such_module_at_all")
    assert "no_such_module_at_all" in project.run("extensions", "list").stdout
    assert "'broken'" in project.run("--help").stderr
    assert project.run("extensions", "disable", "broken").returncode == 0
    assert project.run("-p", "ls").returncode == 0
    assert 'disabled = ["broken"]' in (project.home / ".pihost" / "settings.toml").read_text()


@pytest.mark.parametrize("mode", ["text", "json"])
def test_a_path_given_with_e_that_is_not_there_is_reported_once(project, mode):
    done = project.run("--mode", mode, "-p", "ls", "-e", "missing.py")
    assert done.returncode == 1
    assert done.stderr.count("missing.py") == 1


def test_a_corrupt_trust_store_means_untrusted_and_stays_as_it_is(project):
    project.extend("local", "mine", "from pathlib import Path\nPath('ran').touch()\ndef setup(api): ...")
    store = project.write(project.home / ".pihost" / "trust.json", '{"/": tru')
    done = project.run("-p", "ls")
    assert done.returncode == 0
    assert str(store) in done.stderr
    assert store.read_text() == '{"/": tru'
    assert not (project.cwd / "ran").exists()


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("read missing.txt", "missing.txt"),
        ("grep '(' .", "("),
        ("tool nothing {}", "nothing"),
        ('tool read {"pth": "x"}', "path"),
        ('tool read {"path": 5}', "path"),
        ("bash: no-such-program-at-all", "127"),
        ("edit README.md: absent => x", "README.md"),
        ("tool read {", "JSON"),
    ],
)
def test_a_call_that_cannot_be_done_says_why(project, step, expected):
    done = project.run("-p", step)
    assert done.returncode == 1
    assert expected in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--approv", "-p", "ls"], "--approve"),
        (["--disable", "nobody", "-p", "ls"], "nobody"),
        (["-p", "@missing.txt", "ls"], "missing.txt"),
        (["-m", "no/such", "-p", "ls"], "no/such"),
    ],
)
def test_a_command_line_that_cannot_be_understood_says_what_would_be_right(project, arguments, expected):
    done = project.run(*arguments)
    assert done.returncode in (1, 2)
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
