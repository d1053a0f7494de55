"""Every command's ``--json`` has the keys that docs/json-output.md lists, and so has every example there."""

import json
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "json-output.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## `pihost (.+?)`\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
KINDS = {
    "text": str,
    "number": int | float,
    "true": bool,
    "false": bool,
    "list": list,
    "null": type(None),
    "anything": object,
}
COMMANDS = {
    "extensions list --json": (["extensions", "list"], 0),
    "extensions show ID --json": (["extensions", "show", "broken"], 0),
    "extensions doctor --json": (["extensions", "doctor"], 1),
    "trust status --json": (["trust", "status"], 0),
    "trust list --json": (["trust", "list"], 0),
    "trust allow --json": (["trust", "allow", "--pin"], 0),
    "trust deny --json": (["trust", "deny"], 0),
    "trust forget --json": (["trust", "forget"], 0),
    "hooks --json": (["hooks"], 0),
    "hooks NAME --json": (["hooks", "tool_call"], 0),
    "tool NAME --json": (["tool", "-ne", "ls"], 0),
    "models --json": (["models"], 0),
    "sessions list --json": (["sessions", "list"], 0),
}
"""What to run for each section of the page, and the exit code."""


def documented(section):
    """The types of each key."""
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", SECTIONS[section], re.MULTILINE)
    return {key: tuple(KINDS[word] for word in types.split(" or ")) for key, types in rows}


def keys(value, documented_keys, prefix=""):
    """Every key of a value and what is there; below a key only where the page says what is below it."""
    if isinstance(value, list):
        for one in value:
            yield from keys(one, documented_keys, f"{prefix}[]")
    elif isinstance(value, dict):
        for name, inner in value.items():
            key = f"{prefix}.{name}".removeprefix(".")
            yield key, inner
            if any(other.startswith((f"{key}.", f"{key}[]")) for other in documented_keys):
                yield from keys(inner, documented_keys, key)


def fits(value, types):
    """Whether a value is of one of the types; true and false are no numbers."""
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types or object in types)


def assert_as_documented(section, value):
    types = documented(section)
    found = list(keys(value, types))
    assert {key for key, _value in found} == set(types)
    wrong = [(key, inner) for key, inner in found if not fits(inner, types[key])]
    assert wrong == []


@pytest.fixture
def populated(pihost):
    """A project with a decision, a session and extensions that load and that do not."""
    pihost.extend("healthy", "def setup(api): api.on('turn_start', lambda e, c: None)")
    pihost.extend("broken", "1/0")
    pihost.extend("mine", where="local")
    assert pihost("trust", "allow")[0] == 0
    assert pihost("-p", "-ne", "ls")[0] == 0
    return pihost


def test_every_section_is_tested():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("section", COMMANDS)
def test_a_command_prints_what_is_documented(populated, section):
    arguments, expected = COMMANDS[section]
    code, out, _err = populated(*arguments, "--json")
    assert code == expected
    assert out.count("\n") == 1
    assert_as_documented(section, json.loads(out))


@pytest.mark.parametrize("section", COMMANDS)
def test_the_example_is_what_is_documented(section):
    (example,) = re.findall(r"```json\n(.*?)```", SECTIONS[section], re.DOTALL)
    assert_as_documented(section, json.loads(example))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["allow"], {"decision": True, "pinned": False}),
        (["allow", "--pin"], {"decision": True, "pinned": True}),
        (["deny"], {"decision": False, "pinned": False}),
        (["forget"], {"decision": None, "pinned": False}),
    ],
)
def test_a_decision_says_what_is_stored_now(populated, words, said):
    _code, out, _err = populated("trust", *words, "--json")
    assert json.loads(out) == {"path": str(populated.cwd), **said}
