"""The public names: there, documented, and the same as in the snapshot."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = (
    "pihost",
    "pihost.events",
    "pihost.tools",
    "pihost.extensions",
    "pihost.trust",
    "pihost.models",
    "pihost.rpc_client",
    "pihost.testing",
    "pihost.cli",
)
SNAPSHOT = Path(__file__).with_name("public_names.txt")
NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


def test_the_public_names_are_those_of_the_snapshot():
    """A name that goes breaks its users; a new one is a promise. Both are changed here on purpose."""
    assert [f"{package}:{name}" for package, name in NAMES] == SNAPSHOT.read_text().split()


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_a_public_name_is_there_and_documented(package, name):
    value = getattr(import_module(package), name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_shown(package):
    module = import_module(package)
    assert set(module.__all__) <= set(dir(module))
