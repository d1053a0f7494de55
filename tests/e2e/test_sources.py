"""Extensions from all four sources, before and after trust."""

import json

import pytest

pytestmark = pytest.mark.installs

ANSWER = """
from pathlib import Path
from pihost import hookimpl
from pihost.events import ToolResultPatch
from pihost import TextContent

Path(__file__).with_suffix(".ran").touch()

@hookimpl
def tool_result(event, ctx):
    return ToolResultPatch(content=[*event.content, TextContent(text="{name} was here")])
"""

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "acme-mark"
version = "1.0"
[project.entry-points."pihost.extensions"]
mark = "acme_mark"
[tool.hatch.build.targets.wheel]
packages = ["acme_mark"]
"""


@pytest.fixture(scope="module")
def with_acme(new_environment, tmp_path_factory):
    """An environment into which pip has installed a distribution with an extension."""
    source = tmp_path_factory.mktemp("acme")
    (source / "pyproject.toml").write_text(PYPROJECT)
    (source / "acme_mark").mkdir()
    (source / "acme_mark" / "__init__.py").write_text(ANSWER.format(name="installed"))
    return new_environment(source)


@pytest.fixture
def four(project_in, with_acme):
    """A project with one extension from each source."""
    project = project_in(with_acme)
    project.extend("local", "mine", ANSWER.format(name="local"))
    project.extend("global", "always", ANSWER.format(name="global"))
    project.write("extra.py", ANSWER.format(name="configured"))
    return project


def marks(done):
    return [line.removesuffix(" was here") for line in done.stdout.splitlines() if line.endswith("was here")]


def test_before_trust_the_projects_own_extension_never_runs(four):
    done = four.run("-p", "ls", "-e", "extra.py", installed=True)
    assert done.returncode == 0
    assert marks(done) == ["global", "configured", "installed"]
    assert done.stderr.count("Warning:") == 1
    assert ".pihost/extensions" in done.stderr
    assert "--approve" in done.stderr
    assert not list(four.cwd.rglob(".pihost/**/*.ran"))


def test_once_approved_all_four_answer_in_order(four):
    done = four.run("-p", "ls", "-e", "extra.py", "--approve", installed=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert marks(done) == ["local", "global", "configured", "installed"]


def test_a_stored_decision_admits_it_and_taking_it_back_does_not(four):
    assert four.run("trust", "allow").returncode == 0
    assert marks(four.run("-p", "ls")) == ["local", "global"]
    assert four.run("trust", "forget").returncode == 0
    assert marks(four.run("-p", "ls")) == ["global"]


def test_g01_the_listing_shows_each_in_its_state_and_imports_nothing_untrusted(four):
    done = four.run("extensions", "list", "--json", "-e", "extra.py", installed=True)
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert {name: rows[name]["state"] for name in ("mine", "always", "extra", "acme-mark")} == {
        "mine": "discovered",
        "always": "loaded",
        "extra": "loaded",
        "acme-mark": "loaded",
    }
    assert "trust" in rows["mine"]["reason"]
    assert rows["acme-mark"]["distribution"] == "acme-mark"
    assert not list(four.cwd.rglob(".pihost/**/*.ran"))


def test_no_extensions_leaves_only_what_was_given(four):
    done = four.run("-p", "ls", "-ne", "-e", "extra.py", "-a", installed=True)
    assert marks(done) == ["configured"]


def test_a_disabled_extension_stays_out_until_it_is_enabled(four):
    assert four.run("extensions", "disable", "Acme_Mark", installed=True).returncode == 0
    assert marks(four.run("-p", "ls", installed=True)) == ["global"]
    assert four.run("extensions", "enable", "acme-mark", installed=True).returncode == 0
    assert marks(four.run("-p", "ls", installed=True)) == ["global", "installed"]
