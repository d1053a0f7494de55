"""The reference of the json and rpc modes has every command, event and field of the code."""

import attrs
import pytest

import pihost.events
from generators.protocol_reference import _chapter, _field_texts, json_and_rpc_page
from pihost.protocol.commands import COMMANDS
from pihost.protocol.dialogs import UI_REQUESTS
from pihost.session.stream import STREAM_EVENTS

EVENTS = {
    cls.hook_name: cls
    for cls in (getattr(pihost.events, name) for name in pihost.events.__all__ if name.endswith("Event"))
    if cls is not pihost.events.Event and cls.hook_name in STREAM_EVENTS
}


def chapter(title):
    return json_and_rpc_page().partition(f"\n### {title}\n")[2].partition("\n### ")[0]


def named(text):
    """The fields that a chapter lists."""
    return [line.split("`")[1] for line in text.splitlines() if line.startswith("- `")]


def test_every_event_of_the_stream_has_a_class():
    assert EVENTS.keys() == STREAM_EVENTS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_there_with_its_fields_and_its_data(name):
    text = chapter(f"`{name}`")
    assert named(text) == [field.name for field in attrs.fields(COMMANDS[name])]
    assert "**Data:** " in text


@pytest.mark.parametrize("method", UI_REQUESTS)
def test_a_request_to_the_user_is_there_with_its_fields(method):
    text = chapter(f"`extension_ui_request`: `{method}`")
    assert named(text) == [field.name for field in attrs.fields(UI_REQUESTS[method])]


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_there_with_the_fields_that_are_sent(name):
    fields = [field.name for field in attrs.fields(EVENTS[name])]
    if name == "message_update":
        fields.remove("message")
    assert named(chapter(f"`{name}`")) == fields


def test_whatever_a_field_may_hold_is_explained():
    page = json_and_rpc_page()
    for kind in (
        "State",
        "ToolResult",
        "AssistantMessage",
        "CompactionEntry",
        "ExtensionRecord",
        "Diagnostic",
    ):
        assert f"\n### {kind}\n" in page


def test_a_field_that_nothing_is_said_of_cannot_be_documented():
    @attrs.frozen
    class Silent:
        """Nothing."""

        field: str

    assert _field_texts(Silent) == {}
    with pytest.raises(KeyError):
        _chapter("Silent", Silent)
