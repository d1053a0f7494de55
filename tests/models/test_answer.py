import pytest

from pihost.content import TextContent, ThinkingContent, ToolCall, Usage
from pihost.messages import AssistantMessage, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.model import Model
from pihost.models import Answer, Done


def answer(*deltas):
    made = Answer(Model(provider="p", id="m", api="a"))
    for delta in deltas:
        made.add(delta)
    return made


def test_pieces_are_put_together_by_their_place():
    made = answer(
        ThinkingDelta(index=0, text="h"),
        ToolCallDelta(index=2, id="1", name="read", arguments_json='{"path"'),
        TextDelta(index=1, text="wel"),
        ThinkingDelta(index=0, text="m", signature="s"),
        TextDelta(index=1, text="l"),
        ToolCallDelta(index=2, arguments_json=': "a"}'),
    )
    assert made.so_far().content == (
        ThinkingContent(text="hm", signature="s"),
        TextContent(text="well"),
        ToolCall(id="1", name="read", arguments={"path": "a"}),
    )


def test_arguments_that_are_not_complete_are_shown_as_none():
    made = answer(ToolCallDelta(index=0, id="1", name="read", arguments_json='{"pa'))
    assert made.so_far().tool_calls[0].arguments == {}


def test_a_cut_answer_has_no_calls():
    made = answer(TextDelta(index=0, text="a"), ToolCallDelta(index=1, id="1", name="read"))
    cut = made.cut("aborted")
    assert (cut.content, cut.stop_reason, cut.model) == ((TextContent(text="a"),), "aborted", "m")


def test_a_finished_answer_says_who_gave_it_unless_it_does_itself():
    done = Done(stop_reason="stop", usage=Usage(output=3), message=AssistantMessage(provider="other"))
    message = answer().finished(done)
    assert (message.provider, message.model, message.api, message.usage.output) == ("other", "m", "a", 3)


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_a_call_without_arguments_is_whole(text):
    (call,) = answer(ToolCallDelta(index=0, id="1", name="ls", arguments_json=text)).so_far().tool_calls
    assert (call.arguments, call.invalid_json) == ({}, None)


@pytest.mark.parametrize("text", ['{"pa', "[1]", "5", "no", '{"a":' + "[" * 200 + "]" * 200 + "}"])
def test_arguments_that_are_no_object_are_kept_as_they_came(text):
    (call,) = answer(ToolCallDelta(index=0, id="1", name="ls", arguments_json=text)).so_far().tool_calls
    assert (call.arguments, call.invalid_json) == ({}, text)


def test_the_end_holds_what_the_answer_cost():
    model = Model(provider="p", id="m", input_cost=2.0, output_cost=10.0, cache_read_cost=0.2)
    usage = Usage(input=1_000_000, output=500_000, cache_read=2_000_000, cache_write=100_000)
    done = Answer(model).done("stop", usage)
    assert done.usage.cost == pytest.approx(2.0 + 5.0 + 0.4 + 0.2)
    assert done.message.usage == done.usage


def test_a_cost_that_the_provider_gives_stays():
    model = Model(provider="p", id="m", input_cost=2.0)
    assert Answer(model).done("stop", Usage(input=5, cost=0.5)).usage.cost == 0.5


def test_an_answer_with_calls_wants_tools_whatever_its_end_is_called():
    """Some servers end an answer that calls a tool like any other."""
    made = answer(ToolCallDelta(index=0, id="1", name="ls"))
    assert made.done("stop", Usage()).stop_reason == "tool_use"
    assert made.done("length", Usage()).message.stop_reason == "length"
