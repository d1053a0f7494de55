"""Conversations as text, whole and in brief."""

from pihost.content import TextContent, ToolCall
from pihost.messages import AssistantMessage, CustomMessage, SystemMessage, ToolResultMessage, UserMessage
from pihost.session._digest import as_text, digest

CONVERSATION = [
    SystemMessage(text="be good"),
    UserMessage.from_text("list\nthe files"),
    AssistantMessage(
        content=[TextContent(text="looking"), ToolCall(id="1", name="ls", arguments={"path": "."})]
    ),
    ToolResultMessage(tool_call_id="1", tool_name="ls", content=[TextContent(text="a.py")]),
    AssistantMessage(content=[ToolCall(id="2", name="read", arguments={"path": "b"})]),
    ToolResultMessage(
        tool_call_id="2", tool_name="read", content=[TextContent(text="no such file")], is_error=True
    ),
    CustomMessage(kind="note", content="remember"),
]


def test_the_text_names_every_speaker():
    assert as_text(CONVERSATION, 10_000) == (
        "[user]\nlist\nthe files\n\n[agent]\nlooking\n\n[agent calls ls]\n"
        '{"path":"."}\n\n[result of ls]\na.py\n\n[agent calls read]\n'
        '{"path":"b"}\n\n[result of read (failed)]\nno such file\n\n[user]\nremember'
    )


def test_a_long_result_is_cut():
    result = ToolResultMessage(tool_call_id="1", tool_name="t", content=[TextContent(text="x" * 5000)])
    assert len(as_text([result], 10_000)) < 2100


def test_of_a_text_that_is_too_long_the_middle_is_left_out():
    shown = as_text([UserMessage.from_text("a" * 500 + "b" * 500)], 100)
    assert shown.startswith("[user]\naaa")
    assert shown.endswith("b" * 75)
    assert "characters left out" in shown
    assert len(shown) < 150


def test_a_digest_has_a_line_for_each_step():
    assert digest(CONVERSATION).splitlines()[1:] == [
        "- the user said: list the files",
        '- called ls {"path":"."}',
        "- answered: looking",
        '- called read {"path":"b"}',
        "- read failed: no such file",
        "- the user said: remember",
    ]


def test_a_digest_does_not_grow_without_end():
    shown = digest([UserMessage.from_text(f"{n} " + "x" * 1000) for n in range(1000)])
    assert len(shown.splitlines()) == 62
    assert "940 lines left out" in shown
    assert "- the user said: 999 " in shown
