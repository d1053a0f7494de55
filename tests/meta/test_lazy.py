"""What a command must not import: start-up time is mostly imports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = """
import sys
sys.argv[1:] = {words!r}
from pihost.cli import main
code = main()
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""
NEVER = {"cattrs", "jsonschema", "tomlkit", "prompt_toolkit", "packaging.requirements", "pytest"}


def modules_after(words, cwd, **env):
    """Every module that is loaded when the command has done its work."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(words=words)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PIHOST_DISABLE_INSTALLED": "1", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def test_the_version_needs_nothing(tmp_path):
    loaded = modules_after(["--version"], tmp_path)
    assert {name for name in loaded if name.startswith("pihost")} == {
        "pihost",
        "pihost._version",
        "pihost.cli",
    }
    assert loaded & {"click", "attr", "asyncio", "pathlib", "typing"} == set()


def test_the_help_needs_no_session(tmp_path):
    loaded = modules_after(["--help"], tmp_path)
    assert (
        loaded & (NEVER | {"asyncio", "click", "importlib.metadata", "importlib_metadata", "pluggy"}) == set()
    )
    assert loaded & {"msgspec", "pihost.content", "pihost.messages", "pihost.entries"} == set()
    assert loaded & {"pihost.host._parts", "pihost.session.agent_session", "pihost.tools.registry"} == set()


def test_an_extension_that_answers_no_hook_needs_none(tmp_path):
    source = "def setup(api): api.register_flag('loud', type='boolean', default=False)"
    (tmp_path / "quiet.py").write_text(source)
    loaded = modules_after(["-e", "quiet.py", "--help"], tmp_path)
    assert "pihost.extensions.loader" in loaded
    assert loaded & {"pluggy", "pihost.hooks.table", "pihost.hooks.hookspecs"} == set()


def test_extensions_that_only_register_need_no_event_loop(tmp_path):
    source = "def setup(api): api.register_flag('loud', type='boolean', default=False)"
    (tmp_path / "quiet.py").write_text(source)
    loaded = modules_after(["-e", "quiet.py", "--help"], tmp_path)
    assert loaded & {"asyncio", "logging", "socket", "ssl", "subprocess", "concurrent.futures"} == set()


@pytest.fixture(scope="module")
def after_a_prompt(tmp_path_factory):
    """The modules that one step of the recipe model leaves behind, in a project without extensions."""
    root = tmp_path_factory.mktemp("prompt")
    return modules_after(["-p", "ls"], root, PIHOST_HOME=str(root / "home"))


def test_a_prompt_needs_no_library_that_it_does_not_use(after_a_prompt):
    others = {
        "click",
        "difflib",
        "importlib.metadata",
        "pluggy",
        "importlib_metadata",
        "filelock",
        "tomllib",
        "hashlib",
    }
    assert after_a_prompt & (NEVER | others) == set()


def test_a_prompt_imports_the_one_tool_it_calls(after_a_prompt):
    modules = {"ls": "search", "read": "reading", "write": "writing", "edit": "editing", "bash": "shell"}
    named = {f"pihost.tools.{folder}.{name}": name for name, folder in modules.items()}
    assert [named[module] for module in after_a_prompt & named.keys()] == ["ls"]


def test_a_prompt_without_extensions_needs_nothing_that_serves_them(after_a_prompt):
    unused = {
        "pihost.extensions.api",
        "pihost.extensions.loader",
        "pihost.extensions.registrations",
        "pihost.hooks.table",
        "pihost.hooks.hookspecs",
        "pihost.events._provider",
        "pihost.events._run",
        "pihost.events._tool",
    }
    assert after_a_prompt & unused == set()


def test_a_prompt_in_a_project_without_resources_needs_no_chain_of_trust(after_a_prompt):
    assert after_a_prompt & {"pihost.trust._steps", "pihost.trust._prompt", "pihost.trust.digest"} == set()


def test_a_new_session_reads_no_file_and_no_virtual_model(after_a_prompt):
    unused = {
        "pihost.session._reading",
        "pihost.session._index",
        "pihost.models.virtual",
        "pihost.models.config",
        "pihost.resources.expansion",
    }
    assert after_a_prompt & unused == set()
