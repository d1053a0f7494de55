"""The limits of size that keep the code readable."""

import ast
import functools
from pathlib import Path

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


@functools.cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


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
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False) or ""
            prose += sum(1 for line in docstring.splitlines() if line.strip())
    return sum(1 for line in text.splitlines() if line.strip()) - prose


def functions():
    """Every function of the source, with the name it is told by."""
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name_of(path)}:{node.name}", node


def test_modules_are_short():
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_functions_are_short():
    lengths = {name: body_lines(function) for name, function in functions()}
    assert {name: lines for name, lines in lengths.items() if lines > BODY_LINES} == {}


def test_every_module_says_what_it_is_for():
    said = {name_of(path): (ast.get_docstring(parsed(path)) or "").partition("\n")[0] for path in SOURCES}
    assert [name for name, line in said.items() if not line.endswith((".", "?"))] == []


def test_the_tests_keep_up_with_the_source():
    """Counted without docstrings, of which the source has many and the tests few."""

    def lines(paths):
        return sum(code_lines(path) for path in paths)

    tests = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("plugins/*/tests/**/*.py")]
    assert lines(tests) >= TESTS_PER_SOURCE * lines(SOURCES)
