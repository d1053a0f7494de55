"""A source distribution holds what its tests need."""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
INCLUDED = {
    path.removeprefix("/") for path in PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
}


def test_every_folder_that_pytest_looks_into_is_included():
    options = PYPROJECT["tool"]["pytest"]["ini_options"]
    folders = {path.partition("/")[0] for path in (*options["testpaths"], *options["pythonpath"])}
    assert folders - {"."} <= INCLUDED


def test_whatever_the_tests_import_from_the_checkout_is_included():
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for path in ROOT.glob("tests/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0)
    }
    here = {name for name in imported if (ROOT / name).is_dir() and any((ROOT / name).glob("*.py"))}
    assert here >= {"pihost", "generators"}
    assert here <= INCLUDED
