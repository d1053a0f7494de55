from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost import jsonlines
from pihost.content import ToolCall, ToolResult

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_what_was_encoded_is_decoded_and_stands_on_one_line(value):
    line = jsonlines.encode(value)
    assert b"\n" not in line
    assert jsonlines.decode(line) == value


def test_a_lone_surrogate_is_kept_as_an_escape():
    assert jsonlines.encode({"text": "a\ud800b"}) == b'{"text":"a\\ud800b"}'


def test_value_classes_and_paths_become_plain_data():
    call = ToolCall(id="1", name="read", arguments={"path": "x"})
    assert jsonlines.to_builtins([call, Path("/a/b")]) == [
        {"id": "1", "name": "read", "arguments": {"path": "x"}, "invalid_json": None, "type": "tool_call"},
        "/a/b",
    ]


def test_what_has_no_json_form_is_refused():
    with pytest.raises(TypeError, match="object has no JSON form"):
        jsonlines.encode(ToolResult(details=object()))


DEEP_BEHIND_A_SURROGATE = rb'["\ud800",' + b"[" * 100_000 + b"]" * 100_001


@pytest.mark.parametrize(
    "line", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":1} x', DEEP_BEHIND_A_SURROGATE]
)
def test_a_line_that_is_no_json_is_a_value_error(line):
    with pytest.raises(ValueError, match=r".+"):
        jsonlines.decode(line)


@pytest.mark.parametrize("function", [jsonlines.encode, jsonlines.to_builtins])
@pytest.mark.parametrize("text", ["a", "\ud800"])
def test_what_is_nested_without_end_is_refused(function, text):
    value = text
    for _ in range(100_000):
        value = [text, value]
    with pytest.raises(TypeError, match="nested too deeply"):
        function(value)
