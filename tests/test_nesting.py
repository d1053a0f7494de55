from types import MappingProxyType

import pytest

from pihost.content import ToolCall
from pihost.nesting import DEEPEST, is_too_deep


def nested(levels, wrap=lambda inner: [inner], value="x"):
    for _ in range(levels):
        value = wrap(value)
    return value


WRAPS = [
    lambda inner: [inner],
    lambda inner: (1, inner),
    lambda inner: {"a": 1, "b": inner},
    lambda inner: MappingProxyType({"a": inner}),
]


@pytest.mark.parametrize("wrap", WRAPS, ids=["list", "tuple", "dict", "mapping"])
def test_only_what_has_more_levels_is_too_deep(wrap):
    assert [is_too_deep(nested(levels, wrap)) for levels in (0, 1, DEEPEST, DEEPEST + 1, 50_000)] == [
        *(False, False, False),
        *(True, True),
    ]


def test_what_holds_itself_is_too_deep():
    value = []
    value += [value, value, value]
    assert is_too_deep(value)


def test_what_is_held_in_many_places_is_looked_at_once():
    """Each level holds the next twice; looked at everywhere this would take for ever."""
    assert not is_too_deep(nested(DEEPEST, lambda inner: [inner, inner]))


def test_a_call_has_no_arguments_that_are_too_deep():
    call = ToolCall(id="1", name="t", arguments={"a": nested(DEEPEST)})
    assert call.arguments == {}
    assert call.invalid_json.startswith('{"a":[[[')


@pytest.mark.parametrize("levels", [1500, 100_000])
def test_arguments_nested_without_end_are_told_in_words(levels):
    call = ToolCall(id="1", name="t", arguments={"a": nested(levels)})
    assert (call.arguments, call.invalid_json) == ({}, "what is nested without end")


def test_arguments_at_the_limit_stay():
    arguments = {"a": nested(DEEPEST - 1)}
    call = ToolCall(id="1", name="t", arguments=arguments)
    assert (call.arguments, call.invalid_json) == (arguments, None)
