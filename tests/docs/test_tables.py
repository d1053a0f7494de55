"""Tables of the pages name what the code has, and nothing else."""

import re
from pathlib import Path

import attrs

from pihost.cli._commands import COMMANDS
from pihost.cli._options import session_options
from pihost.settings import _GLOBAL_KEYS, _KEYS, Settings

DOCS = Path(__file__).parents[2] / "docs"


def first_column(page, heading):
    """The code in the first column of the table under a heading."""
    text = (DOCS / page).read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [re.findall(r"`([^`]+)`", row.split("|")[1]) for row in text.splitlines() if row.startswith("| `")]


def test_settings_are_those_of_the_code():
    assert [row[0] for row in first_column("settings.md", "In both files")] == list(_KEYS)
    assert [row[0] for row in first_column("settings.md", "In your own file only")] == list(_GLOBAL_KEYS)


def test_defaults_of_settings_are_those_of_the_code():
    text = (DOCS / "settings.md").read_text("utf-8")
    for name in ("compact_at", "retries", "hook_timeout"):
        shown = re.search(rf"^\| `{name}` \|[^|]*\| `([^`]+)`", text, re.MULTILINE)
        assert float(shown[1]) == getattr(attrs.fields(Settings), name).default
    for name in ("default_project_trust", "trust_pin", "on_extension_error", "file_locks", "hook_timing"):
        shown = re.search(rf"^\| `{name}` \|[^|]*\| `([^`]+)`", text, re.MULTILINE)
        default = getattr(attrs.fields(Settings), name).default
        assert shown[1] == (str(default).lower() if isinstance(default, bool) else default)


def test_options_are_those_of_the_code():
    documented = {word.split()[0] for row in first_column("command-line.md", "Options") for word in row}
    assert documented == {name for option in session_options() for name in option.names}


def test_commands_are_those_of_the_code():
    documented = {row[0].split()[1] for row in first_column("command-line.md", "Commands")}
    assert documented == set(COMMANDS)


def test_variables_are_those_that_the_code_reads():
    sources = (path.read_text("utf-8") for path in (DOCS.parent / "pihost").rglob("*.py"))
    read = {f"PIHOST_{name}" for text in sources for name in re.findall(r"""\.env\("(\w+)"\)""", text)}
    documented = {row[0].partition("=")[0] for row in first_column("command-line.md", "Environment")}
    assert documented == read | {"NO_COLOR"}


def test_the_index_names_every_page():
    index = (DOCS / "README.md").read_text("utf-8")
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == {path.name for path in DOCS.glob("*.md")} - {
        "README.md"
    }
