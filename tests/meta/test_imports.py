"""Who may import what, beyond what the import contract can say."""

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

import pihost

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "pihost").rglob("*.py"))
PLUGIN_MODULES = sorted(ROOT.glob("plugins/*/src/**/*.py"))
PUBLIC_PACKAGES = {
    "pihost",
    "pihost.events",
    "pihost.tools",
    "pihost.extensions",
    "pihost.trust",
    "pihost.models",
}


def imports_of(path):
    """Every module that a file imports from, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, tuple(alias.name for alias in node.names)


def dotted(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_nothing_inside_imports_the_root(path):
    assert all(module != "pihost" for module, _names in imports_of(path))


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_only_the_hooks_know_pluggy(path):
    if "hooks" not in path.parts:
        assert all(module.split(".")[0] != "pluggy" for module, _names in imports_of(path))


@pytest.mark.parametrize("path", PLUGIN_MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_plugin_uses_public_names_only(path):
    for module, names in imports_of(path):
        if module.split(".")[0] == "pihost":
            assert module in PUBLIC_PACKAGES
            assert set(names) <= set(import_module(module).__all__)


def test_every_module_can_be_imported_by_itself_without_a_warning(tmp_path):
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)

    def run(path):
        command = [sys.executable, "-W", "error", "-c", f"import {dotted(path)}"]
        return dotted(path), subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True).stderr

    modules = [path for path in MODULES if path.name != "__main__.py"]
    with ThreadPoolExecutor(4) as pool:
        failed = {name: text for name, text in pool.map(run, modules) if text}
    assert failed == {}


def test_importing_pihost_imports_nothing_of_the_rest():
    code = "import sys; before = set(sys.modules); import pihost; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['pihost', 'pihost._version']"


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Hoost'"):
        pihost.Hoost  # noqa: B018 -- the access is the test
