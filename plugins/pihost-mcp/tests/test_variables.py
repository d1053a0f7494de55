"""Variables in configured texts, and what is shown of them."""

import pickle

import pytest
from pihost_mcp._errors import ConfigError, ProgramError, ServerError, UnsetVariableError
from pihost_mcp._variables import Variables


@pytest.fixture
def variables(monkeypatch):
    monkeypatch.setenv("TOKEN", "s3cret")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("UNSET", raising=False)
    return Variables()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${TOKEN}", "s3cret"),
        ("a-${TOKEN}-b", "a-s3cret-b"),
        ("${UNSET:-x}${EMPTY:-y}", "xy"),
        ("${UNSET:-}", ""),
        ("$$${TOKEN}", "$s3cret"),
        ("^x$", "^x$"),
        ("$TOKEN", "$TOKEN"),
        ("${}", "${}"),
        ("${1}", "${1}"),
    ],
)
def test_in_any_text_a_variable_stands_in_braces(variables, text, value):
    assert variables.in_text(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("$TOKEN", "s3cret"), ("Bearer $TOKEN", "Bearer s3cret"), ("$$TOKEN", "$TOKEN"), ("5$", "5$")],
)
def test_in_values_of_headers_and_variables_it_need_not(variables, text, value):
    assert variables.in_values({"a": text}) == {"a": value}


@pytest.mark.parametrize("name", ["UNSET", "EMPTY"])
def test_one_that_is_not_set_is_named(variables, name):
    with pytest.raises(UnsetVariableError, match=rf"^needs \${name}, which is not set$"):
        variables.in_text(f"${{{name}}}")


def test_what_was_looked_up_is_masked_and_nothing_before(variables):
    assert variables.mask("s3cret") == "s3cret"
    variables.in_text("${TOKEN}")
    assert variables.mask("a s3cret!") == "a ***!"


def test_places_everybody_knows_are_not_masked(variables, monkeypatch):
    monkeypatch.setenv("HOME", "/home/acme")
    variables.in_text("${HOME}/serve")
    assert variables.mask("no /home/acme/serve") == "no /home/acme/serve"


def test_what_is_to_be_hidden_is_masked_with_its_long_words(variables):
    variables.hide("Bearer abcdefgh")
    assert variables.mask("Bearer abcdefgh, abcdefgh, Bearer") == "***, ***, Bearer"


@pytest.mark.parametrize(
    "error",
    [ConfigError("a", "b"), UnsetVariableError("A"), ProgramError("a"), ServerError("a", "b")],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_pickling(error):
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
