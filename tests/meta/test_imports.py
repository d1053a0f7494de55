"""Who may import what, beyond what the import contract can say."""

import ast
import functools
import subprocess
import sys
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
    "pihost.rpc_client",
    "pihost.testing",
    "pihost.cli",
}


@functools.cache
def imports_of(path):
    """Every module that a file imports from, wherever in it, with the names."""
    return tuple(_imports_of(path))


def _imports_of(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, tuple(alias.name for alias in node.names)


def dotted(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_nothing_inside_imports_the_root():
    assert [dotted(path) for path in MODULES if "pihost" in dict(imports_of(path))] == []


def private_owner(name):
    """The package that alone may import a module, or ``None`` for one that everybody may."""
    package, underscore, _ = name.partition("._")
    return package if underscore and package != "pihost" else None


def test_a_module_with_an_underscore_is_imported_within_its_package_only():
    foreign = [
        (dotted(path), name)
        for path in MODULES
        for name, _names in imports_of(path)
        if (owner := private_owner(name))
        and not ".".join((*path.relative_to(ROOT).parent.parts, "")).startswith(f"{owner}.")
    ]
    assert foreign == []


def test_only_the_hooks_know_pluggy():
    others = [path for path in MODULES if "hooks" not in path.parts]
    knowing = {
        dotted(path) for path in others for name, _ in imports_of(path) if name.split(".")[0] == "pluggy"
    }
    assert knowing == set()


def test_plugins_use_public_names_only():
    used = [
        (str(path.relative_to(ROOT)), module, set(names))
        for path in PLUGIN_MODULES
        for module, names in imports_of(path)
        if module.split(".")[0] == "pihost"
    ]
    assert used
    assert [use for use in used if use[1] not in PUBLIC_PACKAGES] == []
    assert [use for use in used if not use[2] <= set(import_module(use[1]).__all__)] == []


IMPORT_EACH = """
import os, sys, traceback

# Whatever is not ours comes once for all; ours is imported in a process forked for each module.
import asyncio, attrs, cattrs, click, filelock, hypothesis, importlib_metadata, jsonschema, msgspec, packaging
import pluggy, prompt_toolkit, pytest, rich, tomlkit, yaml

for name in sys.argv[1:]:
    if os.fork() == 0:
        try:
            __import__(name)
        except BaseException:
            print(f"{name}:", traceback.format_exc())
            sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def test_every_module_can_be_imported_by_itself_without_a_warning():
    modules = [dotted(path) for path in MODULES if path.name != "__main__.py"]
    command = [sys.executable, "-W", "error", "-c", IMPORT_EACH, *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_importing_pihost_imports_nothing_of_the_rest():
    code = "import sys; before = set(sys.modules); import pihost; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['pihost', 'pihost._version']"


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Hoost'"):
        pihost.Hoost  # noqa: B018 -- the access is the test
