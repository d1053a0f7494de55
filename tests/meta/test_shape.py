"""The limits of size that keep the code readable."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for folder in ("pihost", "plugins")
    for path in (ROOT / folder).rglob("*.py")
    if "tests" not in path.parts
)
MODULE_LINES = 450
BODY_LINES = 50
TESTS_PER_SOURCE = 0.85


def name_of(path):
    return str(path.relative_to(ROOT))


def body_lines(function):
    """Lines of a function without its signature and docstring."""
    first = function.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    start = first.end_lineno + 1 if has_docstring else first.lineno
    return function.end_lineno - start + 1


def code_lines(path):
    """Lines that are neither blank nor docstring."""
    text = path.read_text("utf-8")
    prose = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False) or ""
            prose += sum(1 for line in docstring.splitlines() if line.strip())
    return sum(1 for line in text.splitlines() if line.strip()) - prose


def functions(path):
    tree = ast.parse(path.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_is_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_is_short(path):
    too_long = {f.name: body_lines(f) for f in functions(path) if body_lines(f) > BODY_LINES}
    assert too_long == {}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_says_what_it_is_for(path):
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", "?"))


def test_the_tests_keep_up_with_the_source():
    """Counted without docstrings, of which the source has many and the tests few."""

    def lines(paths):
        return sum(code_lines(path) for path in paths)

    tests = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("plugins/*/tests/**/*.py")]
    assert lines(tests) >= TESTS_PER_SOURCE * lines(SOURCES)
