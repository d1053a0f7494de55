"""The names a package imports from its modules when they are first used."""

import pytest

from pihost._lazy import lazy_names


@pytest.fixture
def package():
    """The globals of a package that hands on two names of the standard library."""
    namespace = {"__name__": "json", "own": 1}
    get, names = lazy_names(namespace, {"sqrt": "math", "JSONDecoder": ".decoder"})
    return namespace, get, names


def test_a_name_comes_from_its_module(package):
    from math import sqrt

    assert package[1]("sqrt") is sqrt


def test_a_module_with_a_dot_is_one_of_the_package(package):
    from json.decoder import JSONDecoder

    assert package[1]("JSONDecoder") is JSONDecoder


def test_a_name_is_looked_for_once(package):
    """Python asks ``__getattr__`` only for what the package does not hold."""
    namespace, get, _ = package
    assert namespace.get("sqrt") is None
    value = get("sqrt")
    assert namespace["sqrt"] is value


def test_an_unknown_name_is_an_attribute_error_of_the_package(package):
    with pytest.raises(AttributeError, match=r"^module 'json' has no attribute 'sqr'$"):
        package[1]("sqr")


def test_what_is_not_imported_yet_is_listed_too(package):
    assert package[2]() == ["JSONDecoder", "__name__", "own", "sqrt"]
