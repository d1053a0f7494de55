"""Lines of a client: each a command, an answer to a dialog, or a fault that says what and where."""

import json
import pickle

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.content import ImageContent
from pihost.protocol.commands import COMMANDS, Abort, CallTool, Prompt
from pihost.protocol.dialogs import UiResponse
from pihost.protocol.exchange import command_record, ui_record
from pihost.protocol.reading import BadLineError, Received, read_line
from pihost.protocol.records import line_of

IMAGE = {"type": "image", "data": "aGk=", "mime_type": "image/png"}
VALUES = {
    "text": "hi",
    "path": "/a.jsonl",
    "entry_id": "1",
    "model": "local/recipe",
    "level": "low",
    "command": "ls",
    "name": "ls",
}


def fault_of(line):
    with pytest.raises(BadLineError) as caught:
        read_line(line if isinstance(line, bytes) else json.dumps(line).encode())
    return caught.value


def smallest(cls):
    """A command with the fields that it must have."""
    needed = [field.name for field in attrs.fields(cls) if field.default is attrs.NOTHING]
    return cls(**{name: VALUES[name] for name in needed})


@pytest.mark.parametrize("kind", COMMANDS)
@pytest.mark.parametrize("command_id", ["7", 7, None])
def test_what_a_client_writes_is_read_again(kind, command_id):
    command = smallest(COMMANDS[kind])
    assert read_line(line_of(command_record(command, command_id))) == Received(command_id, command)


@pytest.mark.parametrize("value", ["b", True, None])
def test_an_answer_to_a_dialog_is_read_again(value):
    response = UiResponse(id="ui-1", value=value)
    assert read_line(line_of(ui_record(response))) == Received("ui-1", response)


def test_images_come_as_in_a_message():
    received = read_line(json.dumps({"type": "prompt", "text": "", "images": [IMAGE]}).encode())
    assert received.message == Prompt(text="", images=[ImageContent(data="aGk=", mime_type="image/png")])


def test_arguments_of_a_tool_are_any_object():
    arguments = {"edits": [{"old_text": "a"}], "n": 1.5, "none": None}
    line = json.dumps({"type": "call_tool", "name": "x", "arguments": arguments}).encode()
    assert read_line(line).message == CallTool(name="x", arguments=arguments)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"", "not a line of JSON in UTF-8"),
        (b"nope", "not a line of JSON in UTF-8"),
        (b'{"type": "abort"}{}', "not a line of JSON in UTF-8"),
        (b'{"type": "pr\xffompt"}', "not a line of JSON in UTF-8"),
        (b'{"type": "prompt", "text": "\\ud800"}', "it holds a lone surrogate"),
        (b'{"type": "prompt", "text": "\xed\xa0\x80"}', "not a line of JSON in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", 'a command is an object with a \'type\', such as {"type": "get_state"}'),
        (b"null", "a command is an object with a 'type'"),
        ({}, "a command is an object with a 'type', which is a string"),
        ({"type": 5}, "a command is an object with a 'type', which is a string"),
        ({"type": "promt"}, "there is no command 'promt' (did you mean 'prompt'?)"),
        ({"type": "zzz"}, "there is no command 'zzz'; there are prompt, steer,"),
        ({"type": "abort", "id": 1.5}, "'id' must be a string or a whole number"),
        ({"type": "abort", "id": True}, "'id' must be a string or a whole number"),
    ],
)
def test_what_is_no_command_is_said(line, fault):
    assert fault in str(fault_of(line))


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ({"type": "prompt"}, "'text' is required, but missing @ prompt.text"),
        ({"type": "prompt", "text": 5}, "expected str, not 5 @ prompt.text"),
        ({"type": "prompt", "text": "", "images": {}}, "expected a list of images @ prompt.images"),
        (
            {"type": "prompt", "text": "", "images": [IMAGE, {**IMAGE, "data": 1}]},
            "expected str, not 1 @ prompt.images[1].data",
        ),
        (
            {"type": "prompt", "text": "", "images": [{"data": "", "mime_type": ""}]},
            'expected an object with the type "image" @ prompt.images[0]',
        ),
        (
            {"type": "prompt", "text": "", "streaming_behavior": "now"},
            "expected one of 'steer', 'follow_up' or nothing @ prompt.streaming_behavior",
        ),
        ({"type": "abort", "txt": 1}, "unknown 'txt' @ abort"),
        ({"type": "steer", "text": "", "txet": 1}, "unknown 'txet' (did you mean 'text'?) @ steer"),
        (
            {"type": "bash", "command": "ls", "exclude_from_context": 1},
            "expected bool, not 1 @ bash.exclude_from_context",
        ),
        ({"type": "call_tool", "name": "x", "arguments": []}, "expected an object @ call_tool.arguments"),
        (
            {"type": "extension_ui_response", "id": "ui-1", "value": 3},
            "expected a string, true, false or null @ extension_ui_response.value",
        ),
    ],
)
def test_a_wrong_field_is_told_with_its_place(record, fault):
    assert str(fault_of(record)) == fault


def test_every_fault_of_a_line_is_told_at_once():
    text = str(fault_of({"type": "bash", "command": 1, "exclude_from_context": 2, "x": 3}))
    assert text.count("@ bash") == 3


def test_a_fault_bears_the_id_and_the_type_that_could_be_read():
    fault = fault_of({"type": "prompt", "id": "9"})
    assert (fault.id, fault.type) == ("9", "prompt")


def test_a_long_wrong_value_is_not_said_back_in_full():
    assert len(str(fault_of({"type": "set_model", "model": ["x" * 10_000]}))) < 300
    assert len(str(fault_of({"type": "x" * 10_000}))) < 500


def test_a_fault_can_be_pickled():
    fault = fault_of({"type": "prompt", "id": "9"})
    assert str(pickle.loads(pickle.dumps(fault))) == str(fault)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["id", *VALUES, "images", "arguments", "streaming_behavior", "value", "instructions"]
RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from([*COMMANDS, "extension_ui_response"])},
    optional=dict.fromkeys(FIELDS, JSON),
)


@given(st.binary() | RECORDS.map(lambda record: json.dumps(record).encode()))
def test_any_line_is_read_or_is_a_fault(line):
    try:
        kind = read_line(line).message.type
    except BadLineError as fault:
        kind = fault.type
    assert kind is None or kind in {*COMMANDS, "extension_ui_response"} or b'"type"' in line


def test_a_command_without_fields_needs_none():
    assert read_line(b' {"type": "abort"} \r').message == Abort()
