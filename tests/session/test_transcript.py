from hypothesis import given
from hypothesis import strategies as st

from pihost.content import TextContent, ThinkingContent, ToolCall
from pihost.messages import AssistantMessage, CustomMessage, SystemMessage, ToolResultMessage, UserMessage
from pihost.session.transcript import sendable


def asks(*ids):
    return AssistantMessage(content=[ToolCall(id=call_id, name="t") for call_id in ids])


def result(call_id, text="r"):
    return ToolResultMessage(tool_call_id=call_id, tool_name="t", content=[TextContent(text=text)])


USER = UserMessage.from_text("u")


def shape(messages):
    return [getattr(m, "tool_call_id", m.role) for m in messages]


def test_a_conversation_in_order_stays_as_it_is():
    messages = (
        USER,
        asks("a", "b"),
        result("a"),
        result("b"),
        AssistantMessage(content=[TextContent(text="x")]),
    )
    assert sendable(messages) == messages


def test_a_call_without_a_result_gets_an_error():
    """The process died, or the record was lost."""
    sent = sendable([USER, asks("a", "b"), result("b"), USER])
    assert shape(sent) == ["user", "assistant", "a", "b", "user"]
    assert sent[2].is_error
    assert "session ended" in sent[2].text


def test_a_result_without_a_call_is_left_out():
    assert shape(sendable([result("a"), USER, asks("b"), result("b"), result("b")])) == [
        "user",
        "assistant",
        "b",
    ]


def test_a_result_that_came_late_moves_behind_its_call():
    sent = sendable([asks("a"), CustomMessage(kind="k", content="c"), result("a", "late")])
    assert shape(sent) == ["assistant", "a", "custom"]
    assert sent[1].text == "late"


def test_ids_used_again_belong_to_the_last_answer_that_used_them():
    sent = sendable([asks("1"), result("1", "first"), asks("1"), result("1", "second")])
    assert [message.text for message in sent] == ["", "first", "", "second"]


def test_an_empty_answer_is_left_out():
    assert sendable([USER, AssistantMessage(stop_reason="error")]) == (USER,)


def test_lone_surrogates_become_replacement_characters_everywhere():
    bad, good = "a\ud800b", "a\ufffdb"
    call = ToolCall(id="1", name="t", arguments={bad: [bad, 1, {"x": bad}]})
    sent = sendable(
        [
            SystemMessage(text=bad),
            UserMessage.from_text(bad),
            AssistantMessage(content=[ThinkingContent(text=bad), call]),
            result("1", bad),
        ]
    )
    assert [m.text for m in sent] == [good, good, "", good]
    assert sent[2].content[0].text == good
    assert sent[2].content[1].arguments == {good: [good, 1, {"x": good}]}


def test_what_is_whole_is_not_copied():
    message = UserMessage.from_text("grüße")
    assert sendable([message])[0] is message


message = st.one_of(
    st.just(USER),
    st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(lambda ids: asks(*ids)),
    st.sampled_from("abc").map(result),
)


@given(st.lists(message))
def test_every_call_has_exactly_one_result_right_behind_it(messages):
    sent = list(sendable(messages))
    while sent:
        answer = sent.pop(0)
        assert not isinstance(answer, ToolResultMessage)
        for call in answer.tool_calls if isinstance(answer, AssistantMessage) else ():
            assert sent.pop(0).tool_call_id == call.id
