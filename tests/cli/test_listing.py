"""``pihost extensions list`` with an extension in every state there is."""

import json

import pytest

HEALTHY = """
def setup(api):
    api.register_command("hello", handler=print)
    api.on("turn_start", lambda event, ctx: None)
"""
NEEDS = "# /// script\n# dependencies = ['pluggy<1']\n# ///\ndef setup(api): ...\n"
STATES = {
    "healthy": ("loaded", "commands: hello; hooks: turn_start"),
    "broken": ("admitted", "ZeroDivisionError: division by zero"),
    "acme": ("loaded", ""),
    "mine": ("discovered", "the project is not trusted"),
    "off": ("discovered", 'disabled by "of*"'),
    "needs": ("discovered", "requires pluggy<1, but pluggy"),
    "acme@global": ("discovered", "superseded by "),
    "twin": ("loaded", ""),
    "twin@configured": ("loaded", ""),
    "not-a-plugin": ("admitted", "the entry point is of type int"),
}
"""By id: how far it gets, and the beginning of what is said of it."""


@pytest.fixture
def every_state(pihost, tmp_path, monkeypatch):
    """A project, a home and an environment that hold all of them; the options to give."""
    for name, code in {"healthy": HEALTHY, "broken": "1/0", "needs": NEEDS}.items():
        pihost.extend(name, code)
    for name in ("off", "acme", "twin"):
        pihost.extend(name)
    pihost.extend("mine", where="local")
    given = pihost.write("elsewhere/acme.py", "def setup(api): ...")
    twin = pihost.write("elsewhere/twin.py", "def setup(api): ...")
    pihost.settings.write_text(f'disabled = ["of*"]\nextensions = ["{twin}"]\n')
    info = tmp_path / "site" / "not_a_plugin-2.1.dist-info"
    pihost.write(info / "METADATA", "Metadata-Version: 2.1\nName: not-a-plugin\nVersion: 2.1\n")
    pihost.write(info / "entry_points.txt", "[pihost.extensions]\nx = not_a_plugin:NUMBER\n")
    pihost.write(tmp_path / "site" / "not_a_plugin.py", "NUMBER = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "0")
    return ("-e", str(given))


def rows(out):
    return {row["id"]: row for row in json.loads(out)}


def test_every_state_and_reason_is_listed(pihost, every_state):
    code, out, _err = pihost("extensions", "list", "--json", *every_state)
    assert code == 0
    listed = rows(out)
    assert {key: row["state"] for key, row in listed.items()} == {key: one[0] for key, one in STATES.items()}
    assert all(
        (listed[key]["reason"] or "").startswith(said)
        for key, (_, said) in STATES.items()
        if key != "healthy"
    )
    assert (listed["not-a-plugin"]["distribution"], listed["not-a-plugin"]["version"]) == (
        "not-a-plugin",
        "2.1",
    )


def test_the_table_fits_80_columns(pihost, every_state):
    code, out, _err = pihost("extensions", "list", *every_state)
    lines = out.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= 80
    heads = {line.split()[0]: line.split() for line in lines if not line.startswith(" ")}
    assert {key: heads[key][2] for key in STATES} == {key: state for key, (state, _said) in STATES.items()}
    together = " ".join(out.split())
    assert all(said in together for _state, said in STATES.values())


def test_without_loading_what_is_admitted_stays_admitted(pihost, every_state):
    _code, out, _err = pihost("extensions", "list", "--json", "--no-load", *every_state)
    assert {row["state"] for row in rows(out).values()} == {"admitted", "discovered"}
    assert rows(out)["healthy"]["hooks"] == []


def test_left_out_is_a_reason_too(pihost, every_state):
    _code, out, _err = pihost("extensions", "list", "--json", "-ne", *every_state)
    listed = rows(out)
    assert [key for key, row in listed.items() if row["state"] == "loaded"] == ["acme"]
    assert {row["reason"] for row in listed.values()} == {None, "left out by --no-extensions"}


def test_with_trust_the_projects_own_is_the_first(pihost, every_state):
    _code, out, _err = pihost("extensions", "list", "--json", "--approve", *every_state)
    assert next(iter(rows(out))) == "mine"
