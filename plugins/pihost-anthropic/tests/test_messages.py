"""The Messages API against real bytes of HTTP on loopback."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pihost_anthropic._payload import messages_payload

from pihost.models import (
    AbortSignal,
    AssistantMessage,
    Done,
    Error,
    ImageContent,
    Model,
    ModelRequest,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pihost.testing import Reply, server_sent_events

PICTURE = ImageContent(data="aGk=", mime_type="image/png")
CACHED = {"cache_control": {"type": "ephemeral"}}
STARTED = {"input_tokens": 5, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 7}


def begun(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def more(index, **delta):
    return {"type": "content_block_delta", "index": index, "delta": delta}


def ended(reason="end_turn"):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 4}}


STOP = {"type": "message_stop"}
ANSWER = (
    {"type": "message_start", "message": {"usage": STARTED}},
    begun(0, type="thinking", thinking=""),
    {"type": "ping"},
    more(0, type="thinking_delta", thinking="Hm."),
    more(0, type="signature_delta", signature="sealed"),
    {"type": "content_block_stop", "index": 0},
    begun(1, type="redacted_thinking", data="hidden"),
    begun(2, type="text", text=""),
    more(2, type="text_delta", text="Grüße, "),
    more(2, type="text_delta", text="Welt"),
    begun(3, type="tool_use", id="toolu_1", name="look", input={}),
    more(3, type="input_json_delta", partial_json='{"place":'),
    more(3, type="input_json_delta", partial_json=' "hier"}'),
    more(3, type="something_new"),
    ended("tool_use"),
    STOP,
)
CONTENT = (
    ThinkingContent(text="Hm.", signature="sealed"),
    ThinkingContent(text="", signature="redacted:hidden"),
    TextContent(text="Grüße, Welt"),
    ToolCall(id="toolu_1", name="look", arguments={"place": "hier"}),
)


@pytest.mark.parametrize(("split", "end"), [(None, "\n"), (1, "\n"), (2, "\r\n"), (7, "\r")])
async def test_an_answer_comes_piece_by_piece_and_as_a_whole(server, provider, ask, sse, split, end):
    server.answer(sse(*ANSWER, split=split, end=end))
    done = (await ask(provider()))[-1]
    assert isinstance(done, Done)
    assert done.message.content == CONTENT
    assert done.stop_reason == "tool_use"
    usage = done.usage
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (5, 4, 6, 7)


async def test_the_request_says_what_was_asked_and_what_is_to_be_cached(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    await ask(provider(api_key="secret-key"), max_tokens=50)
    (request,) = server.received
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert request.payload == {
        "model": "small",
        "max_tokens": 50,
        "stream": True,
        "system": [{"type": "text", "text": "be brief", **CACHED}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", **CACHED}]}],
        "tools": [
            {
                "name": "look",
                "description": "Look at a place",
                "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}},
                **CACHED,
            }
        ],
    }


def answered(**fields):
    values = {"content": CONTENT, "provider": "acme", "api": "anthropic-messages", "model": "small"}
    return AssistantMessage(**{**values, **fields})


def result(*content, **fields):
    return ToolResultMessage(tool_call_id="toolu_1", tool_name="look", content=content, **fields)


async def test_thoughts_calls_and_pictures_go_back_as_they_came(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    history = [
        UserMessage.from_text("go", [PICTURE]),
        answered(),
        result(TextContent(text="seen"), PICTURE, is_error=True),
        UserMessage.from_text("and?"),
    ]
    await ask(provider(), history, system_prompt=" ")
    payload = server.received[0].payload
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    assert "system" not in payload
    assert payload["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "go"}, picture]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "sealed"},
                {"type": "redacted_thinking", "data": "hidden"},
                {"type": "text", "text": "Grüße, Welt"},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"place": "hier"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "seen"}, picture],
                    "is_error": True,
                },
                {"type": "text", "text": "and?", **CACHED},
            ],
        },
    ]


@pytest.mark.parametrize(
    "message",
    [
        answered(provider="other"),
        answered(content=CONTENT[:1]),
        answered(content=[ThinkingContent(text="Hm."), TextContent(text="I look")]),
    ],
    ids=["another's", "cut off", "unsigned"],
)
async def test_thoughts_that_the_provider_would_refuse_stay_here(server, provider, ask, sse, message):
    server.answer(sse(*ANSWER))
    await ask(provider(), [UserMessage.from_text("go"), message])
    sent = server.received[0].payload["messages"]
    assert "thinking" not in [block["type"] for one in sent for block in one["content"]]
    assert sent[-1]["role"] == "user"


@pytest.fixture
def served(server, provider, ask, sse):
    """The payload of a request for a model."""

    async def send(model, **fields):
        server.answer(sse(*ANSWER))
        await ask(provider(model), **fields)
        return server.received[-1].payload

    return send


@pytest.mark.parametrize(
    ("model_and_level", "wanted"),
    [
        (("claude-sonnet-4-5", "low"), {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        (("claude-3-7-sonnet", "xhigh"), {"thinking": {"type": "enabled", "budget_tokens": 9000 - 1024}}),
        (("claude-opus-4-20250514", "minimal"), {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (
            ("claude-sonnet-5", "high"),
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        (("claude-opus-4-6", "low"), {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        (("claude-sonnet-5", "off"), {}),
    ],
)
async def test_each_model_is_told_to_think_in_its_own_way(served, model_and_level, wanted):
    model, level = model_and_level
    payload = await served(model, thinking_level=level)
    assert {name: payload[name] for name in ("thinking", "output_config") if name in payload} == wanted


async def test_no_thought_is_asked_for_between_calls_that_began_without_one(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    history = [UserMessage.from_text("go"), answered(content=CONTENT[2:]), result(TextContent(text="seen"))]
    await ask(provider("claude-sonnet-4-5"), history, thinking_level="high")
    assert "thinking" not in server.received[0].payload


@pytest.mark.parametrize(
    ("events", "end"),
    [
        ([ended("max_tokens"), STOP], "length"),
        ([ended("model_context_window_exceeded"), STOP], "length"),
        ([ended(), STOP], "stop"),
        ([ended("refusal"), STOP], Error(message="The model declined to answer")),
        ([ended()], Error(message="The server's answer broke off", retryable=True)),
        (
            [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
            Error(message="Overloaded", retryable=True),
        ),
    ],
)
async def test_every_end_is_told(server, provider, ask, sse, events, end):
    server.answer(sse(ANSWER[0], begun(0, type="text", text="a"), *events))
    found = (await ask(provider()))[-1]
    assert (found.stop_reason if isinstance(found, Done) else found) == end


async def test_events_need_no_name(server, provider, ask):
    """Their type is in their data too."""
    server.answer(Reply(parts=server_sent_events([json.dumps(event) for event in ANSWER])))
    assert (await ask(provider()))[-1].message.content == CONTENT


@pytest.mark.parametrize("is_error", [True, False])
async def test_a_call_without_output_has_text_all_the_same(server, provider, ask, sse, is_error):
    server.answer(sse(*ANSWER))
    empty = ToolResultMessage(tool_call_id="toolu_1", tool_name="look", is_error=is_error)
    await ask(provider(), [UserMessage.from_text("go"), answered(content=CONTENT), empty])
    (sent,) = server.received[0].payload["messages"][-1]["content"]
    assert sent["content"] == [{"type": "text", "text": "(no output)"}]


async def test_a_connection_that_is_lost_midway_can_be_asked_again(server, provider, ask, sse):
    server.answer(sse(*ANSWER[:3], complete=False))
    end = (await ask(provider()))[-1]
    assert end.retryable
    assert end.message.startswith("The connection to the server failed")


BLOCKS = st.sampled_from(
    [TextContent(text="t"), TextContent(text=" "), CONTENT[0], ThinkingContent(text="h"), PICTURE]
)
ANSWERS = st.builds(
    lambda blocks, ids: answered(
        content=[
            *(block for block in blocks if block is not PICTURE),
            *(ToolCall(id=one, name="look", arguments={}) for one in ids),
        ]
    ),
    st.lists(BLOCKS, max_size=3),
    st.lists(st.text(max_size=3), unique=True, max_size=3),
)
TURNS = st.lists(st.one_of(ANSWERS, st.lists(BLOCKS, max_size=3)), max_size=5)


@given(TURNS)
def test_any_history_becomes_a_payload_that_the_api_takes(turns):
    history = []
    for turn in turns:
        if isinstance(turn, AssistantMessage):
            history.append(turn)
            history += [
                ToolResultMessage(tool_call_id=one.id, tool_name="look", content=[PICTURE])
                for one in turn.tool_calls
            ]
        else:
            history.append(UserMessage(content=[one for one in turn if not isinstance(one, ThinkingContent)]))
    model = Model(provider="acme", id="small")
    payload = messages_payload(ModelRequest(model=model, messages=history, signal=AbortSignal()))
    roles = [one["role"] for one in payload["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    waiting = []
    for message in payload["messages"]:
        blocks = message["content"]
        assert blocks
        if message["role"] == "user":
            assert waiting == [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
        else:
            assert blocks[-1]["type"] != "thinking"
        assert all(one["text"].strip() for one in blocks if one["type"] == "text")
        waiting = [one["id"] for one in blocks if one["type"] == "tool_use"]
    assert not waiting
