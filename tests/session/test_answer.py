from pihost.content import TextContent, ThinkingContent, ToolCall, Usage
from pihost.messages import AssistantMessage, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.model import Model
from pihost.models import Done
from pihost.session._answer import Answer


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
