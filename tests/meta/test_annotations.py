"""Whatever an author may want to name in an annotation comes from a public package."""

import ast
import inspect
from functools import cache
from importlib import import_module
from pathlib import Path

import pihost.events
from pihost import ExtensionAPI, ExtensionContext, ToolDefinition, ToolResult
from pihost.extensions import UI, CommandContext
from pihost.tools import ToolContext
from pihost.trust import TrustContext

SNAPSHOT = Path(__file__).with_name("public_names.txt")
PUBLIC = {tuple(line.split(":")) for line in SNAPSHOT.read_text().split()}
API = [
    ExtensionAPI,
    UI,
    ExtensionContext,
    CommandContext,
    ToolContext,
    TrustContext,
    ToolDefinition,
    ToolResult,
]
EVENTS = [getattr(pihost.events, name) for name in pihost.events.__all__]
MET = [*API, *filter(inspect.isclass, EVENTS)]


@cache
def tree(module):
    return ast.parse(inspect.getsource(import_module(module)))


@cache
def imports(module):
    """Names that a module takes from others of pihost, also for type checkers only, with where they are."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pihost")
        for alias in node.names
    }


def origin(module, name):
    """The module that defines a name, and the name there."""
    while name in imports(module):
        module, name = imports(module)[name]
    return module, name


@cache
def definitions(module):
    """The classes and aliases that a module defines, without its private ones."""
    found = {}
    for node in tree(module).body:
        targets = getattr(node, "targets", [getattr(node, "target", node)])
        name = getattr(targets[0], "id", getattr(node, "name", "_"))
        if not name.startswith("_") and not isinstance(node, ast.FunctionDef):
            found[name] = getattr(node, "value", None)
    return found


def names_in(text):
    """The names that an annotation, or the value of an alias, is made of; a quoted one is read as well."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return names_in(node.value)
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def annotations(cls):
    """The annotations of a class's public fields, methods and properties, inherited ones too, by module."""
    for base in (base for base in cls.__mro__ if base.__module__.startswith("pihost")):
        own = [(name, base) for name in inspect.get_annotations(base)]
        for name, value in [*own, *vars(base).items()]:
            function = getattr(value, "fget", getattr(value, "__func__", value))
            if name.startswith("_") or not (value is base or inspect.isfunction(function)):
                continue
            found = inspect.get_annotations(function)
            for annotation in [found[name]] if value is base else found.values():
                yield base.__module__, annotation if isinstance(annotation, str) else "None"


def named_by(module, name):
    """Every name in the annotations of a class, or in an alias, with the module that it stands in."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        texts = annotations(value)
    else:
        texts = [(module, ast.unparse(definitions(module)[name]))]
    return [origin(where, each) for where, text in texts for each in names_in(text)]


def reached():
    """Every class and alias of pihost that an author meets, one annotation leading to the next."""
    found, waiting = set(), [(cls.__module__, cls.__name__) for cls in MET]
    while waiting:
        one = module, name = waiting.pop()
        if module.startswith("pihost") and one not in found and name in definitions(module):
            found.add(one)
            waiting += named_by(module, name)
    return found


def test_every_type_that_an_author_meets_is_public():
    private = {
        f"{module}.{name}"
        for module, name in reached()
        if not any((package, name) in PUBLIC for package, _name in PUBLIC)
    }
    assert private == set()


def test_the_public_name_is_the_same_type():
    for module, name in reached():
        packages = [package for package, public in PUBLIC if public == name]
        meant = getattr(import_module(module), name)
        assert any(getattr(import_module(package), name) == meant for package in packages), name


def test_types_far_from_the_api_are_met_as_well():
    """What the others are tested on is not next to nothing: fields, results, aliases and what they hold."""
    names = {name for _module, name in reached()}
    assert names >= {"Settings", "ExecResult", "SessionReader", "Entry", "LabelEntry", "ToolContentBlock"}
    assert names >= {"UserContent", "StopReason", "CompactionPreparation", "AbortSignal", "Usage", "UI"}
