"""What a server sends is what a client has."""

import json
from pathlib import Path

import attrs
import pytest

from pihost import events
from pihost.content import ImageContent, TextContent, ToolCall, ToolResult
from pihost.messages import (
    AssistantMessage,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultMessage,
    UserMessage,
)
from pihost.protocol.dialogs import SelectRequest, SetStatusRequest
from pihost.protocol.exchange import ui_record
from pihost.protocol.records import event_record, line_of
from pihost.protocol.replies import Response
from pihost.protocol.stream import MessageUpdate, UnknownEvent, event_of, structure, ui_request_of

ANSWER = AssistantMessage(
    content=[TextContent(text="x"), ToolCall(id="1", name="ls", arguments={"a": [1, None]})]
)
SAID = UserMessage.from_text("hi", [ImageContent(data="aGk=", mime_type="image/png")])
RESULT = ToolResult.from_text("done", details={"a": [1]})
EVENTS = [
    events.AgentStartEvent(),
    events.AgentEndEvent(messages=[SAID, ANSWER, ToolResultMessage(tool_call_id="1", tool_name="ls")]),
    events.TurnEndEvent(turn_index=0, message=ANSWER),
    events.ToolExecutionEndEvent(
        tool_call_id="1", tool_name="ls", args={}, result=RESULT, is_error=False, duration_ms=1.5
    ),
    events.SessionInfoChangedEvent(name=None),
    events.RetryEvent(attempt=1, max_attempts=3, delay_seconds=0.5, error_message="busy"),
    events.ExtensionErrorEvent(extension="a", event="tool_call", error="no"),
    events.TrustRefusedEvent(cwd=Path("/w"), step=7, reason="nobody", skipped=(Path("/w/.pihost"),)),
]


def sent(record):
    return json.loads(line_of(record))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.hook_name)
def test_an_event_comes_back_as_it_was(event):
    assert event_of(sent(event_record(event))) == event


@pytest.mark.parametrize(
    "delta",
    [
        TextDelta(index=0, text="a"),
        ThinkingDelta(index=1, text="b", signature="s"),
        ToolCallDelta(index=2, id="1", name="ls", arguments_json="{"),
    ],
)
def test_an_update_comes_back_as_its_delta_alone(delta):
    record = sent(event_record(events.MessageUpdateEvent(message=ANSWER, delta=delta)))
    assert record["type"] == "message_update"
    assert event_of(record) == MessageUpdate(delta=delta)


def test_an_event_that_is_not_known_keeps_its_fields():
    assert event_of({"type": "new_thing", "a": 1}) == UnknownEvent(type="new_thing", fields={"a": 1})


def test_a_field_that_is_not_known_is_left_out():
    assert event_of({"type": "agent_start", "since": 5}) == events.AgentStartEvent()


@pytest.mark.parametrize(
    "record", [{"type": "retry"}, {"type": "message_end", "message": {"role": "nobody"}}]
)
def test_an_event_that_does_not_fit_its_class_is_a_value_error(record):
    with pytest.raises(ValueError, match=r"no .*Event"):
        event_of(record)


@pytest.mark.parametrize(
    "request_",
    [
        SelectRequest(id="ui-1", title="Which?", options=["a", "b"], timeout=5.0),
        SetStatusRequest(id="ui-2", key="k", text=None),
    ],
)
def test_a_request_to_the_user_comes_back_as_it_was(request_):
    assert ui_request_of(sent(ui_record(request_))) == request_


def test_a_request_that_is_not_known_is_none():
    assert ui_request_of({"type": "extension_ui_request", "method": "dance", "id": "1"}) is None


@pytest.mark.parametrize("command_id", ["1", 1, None])
def test_a_response_keeps_the_id_as_it_is(command_id):
    response = Response(id=command_id, command="abort", success=True)
    assert structure(attrs.asdict(response), Response) == response
