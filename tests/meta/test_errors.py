"""Every error of ours can be pickled and keeps what it says."""

import inspect
import pickle
import pkgutil
import typing
from importlib import import_module
from pathlib import Path

import pytest

import pihost
from pihost.diagnostics import Diagnostic
from pihost.errors import PihostError


def every_error():
    for module in pkgutil.walk_packages(pihost.__path__, "pihost."):
        # pytest imports its plugin itself, to rewrite what it asserts
        if not module.name.endswith(("__main__", "pihost.testing.plugin")):
            import_module(module.name)
    found, waiting = [], [PihostError]
    while waiting:
        error = waiting.pop()
        found.append(error)
        waiting.extend(error.__subclasses__())
    return sorted((e for e in set(found) if e.__module__.startswith("pihost.")), key=lambda e: e.__qualname__)


def example(annotation):
    """Some value of a parameter's type."""
    text = str(annotation)
    if "Diagnostic" in text:
        return (Diagnostic(level="error", message="wrong", kind="load"),)
    if annotation is Path:
        return Path("/some/where")
    if annotation in (int, float):
        return annotation(3)
    if typing.get_origin(annotation) is typing.Literal:
        return typing.get_args(annotation)[0]
    return (
        ("one", "two") if any(word in text for word in ("Sequence", "tuple", "Iterable", "list")) else "some"
    )


def build(error):
    if not inspect.isfunction(error.__init__):  # no parts of its own
        return error()
    parameters = list(inspect.signature(error).parameters.values())
    hints = typing.get_type_hints(error.__init__)
    required = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return error(*(example(hints.get(p.name, str)) for p in required))


@pytest.mark.parametrize("error", every_error(), ids=lambda error: error.__name__)
def test_an_error_survives_pickling(error):
    one = build(error)
    other = pickle.loads(pickle.dumps(one))
    assert type(other) is error
    assert (str(other), other.hint) == (str(one), one.hint)
