"""Chat Completions against real bytes of HTTP on loopback."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pihost_openai._completions import completions_payload

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

USAGE = {"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}}
PICTURE = ImageContent(data="aGk=", mime_type="image/png")


def chunk(end=None, **delta):
    return {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}


def call(index, **fields):
    function = {name: fields.pop(name) for name in ("name", "arguments") if name in fields}
    return chunk(tool_calls=[{"index": index, **fields, "function": function}])


ANSWER = (
    chunk(role="assistant", content=""),
    chunk(reasoning_content="Hm. "),
    chunk(content="Grüße, "),
    chunk(content="Welt"),
    call(0, id="call_a", name="look", arguments=""),
    call(0, arguments='{"place": '),
    call(0, arguments='"hier"}'),
    call(1, id="call_b", name="look", arguments="{}"),
    chunk(end="tool_calls"),
    {"id": "c1", "choices": [], "usage": USAGE},
)


async def test_an_answer_comes_piece_by_piece_and_as_a_whole(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    pieces = await ask(provider())
    done = pieces[-1]
    assert isinstance(done, Done)
    assert done.stop_reason == "tool_use"
    assert done.message.content == (
        ThinkingContent(text="Hm. "),
        TextContent(text="Grüße, Welt"),
        ToolCall(id="call_a", name="look", arguments={"place": "hier"}),
        ToolCall(id="call_b", name="look", arguments={}),
    )
    assert (done.usage.input, done.usage.cache_read, done.usage.output) == (4, 6, 4)
    assert done.usage.cost == pytest.approx(2e-5)
    assert [piece.type for piece in pieces[:4]] == ["start", "thinking_delta", "text_delta", "text_delta"]


@pytest.mark.parametrize(("split", "end"), [(1, "\n"), (2, "\r\n"), (3, "\r"), (7, "\n")])
async def test_where_the_stream_is_cut_makes_no_difference(server, provider, ask, sse, split, end):
    server.answer(sse(*ANSWER), sse(*ANSWER, split=split, end=end))
    whole, cut = await ask(provider()), await ask(provider())
    assert cut[-1].message.content == whole[-1].message.content


async def test_comments_are_no_pieces(server, provider, ask):
    frames = server_sent_events([*ANSWER, "[DONE]"])
    server.answer(Reply(parts=[part for frame in frames for part in (b": ping\n\n", frame)]))
    assert (await ask(provider()))[-1].message.text == "Grüße, Welt"


@pytest.mark.parametrize("frame", [b"retry: 3000\n\n", b"event: ping\n\n", b"id: 7\n\n", b"data:\n\n"])
async def test_events_without_data_keep_a_connection_alive(server, provider, ask, frame):
    server.answer(Reply(parts=[frame, *server_sent_events([*ANSWER, "[DONE]"])]))
    assert (await ask(provider()))[-1].message.text == "Grüße, Welt"


async def test_the_request_says_what_was_asked(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    await ask(provider(api_key="secret-key"), max_tokens=50, thinking_level="low")
    (request,) = server.received
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == "Bearer secret-key"
    assert request.payload == {
        "model": "small",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Look at a place",
                    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
                },
            }
        ],
        "max_tokens": 50,
        "reasoning_effort": "low",
    }


async def test_calls_results_and_pictures_go_back_as_the_api_wants_them(server, provider, ask, sse):
    server.answer(sse(*ANSWER))
    look = ToolCall(id="call/1", name="look", arguments={"place": "x"})
    history = [
        UserMessage.from_text("see", [PICTURE]),
        AssistantMessage(content=[ThinkingContent(text="hm"), TextContent(text="I look"), look]),
        ToolResultMessage(tool_call_id="call/1", tool_name="look", content=[PICTURE]),
        UserMessage.from_text("and?"),
    ]
    await ask(provider(), history, system_prompt="")
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    arguments = json.dumps({"place": "x"})
    assert server.received[0].payload["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "see"}, url]},
        {
            "role": "assistant",
            "content": "I look",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "(see the pictures below)"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "The pictures of the tool results above:"}, url],
        },
        {"role": "user", "content": "and?"},
    ]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([chunk(content="a"), chunk(end="length")], "length"),
        ([chunk(content="a"), chunk(end="stop")], "stop"),
        ([chunk(content="a"), chunk(end="something new")], "stop"),
    ],
)
async def test_ends_have_their_reasons(server, provider, ask, sse, events, reason):
    server.answer(sse(*events))
    assert (await ask(provider()))[-1].stop_reason == reason


async def test_whole_calls_without_numbers_are_told_apart(server, provider, ask, sse):
    calls = [
        {"function": {"name": "look", "arguments": {"place": "a"}}},
        {"function": {"name": "look", "arguments": {"place": "b"}}},
    ]
    server.answer(sse(chunk(tool_calls=calls), chunk(end="stop")))
    done = (await ask(provider()))[-1]
    assert [one.arguments for one in done.message.tool_calls] == [{"place": "a"}, {"place": "b"}]
    assert len({one.id for one in done.message.tool_calls}) == 2
    assert done.stop_reason == "tool_use"


async def test_whole_calls_that_all_have_one_number_are_told_apart(server, provider, ask, sse):
    calls = [call(0, id=one, name="look", arguments="{}") for one in ("a", "b")]
    server.answer(sse(*calls, chunk(end="tool_calls")))
    found = (await ask(provider()))[-1].message.tool_calls
    assert [one.id for one in found] == ["a", "b"]


async def test_what_is_no_call_is_passed_over(server, provider, ask, sse):
    server.answer(sse(chunk(tool_calls=[None], content="a"), chunk(end="stop")))
    assert (await ask(provider()))[-1].message.text == "a"


async def test_an_answer_that_breaks_off_can_be_asked_for_again(server, provider, ask, sse):
    server.answer(sse(chunk(content="a"), done=False), sse(chunk(content="a"), complete=False))
    for _ in range(2):
        assert isinstance(end := (await ask(provider()))[-1], Error)
        assert end.retryable


@pytest.mark.parametrize("broken", ['{"choices": [', "[" * 100_000], ids=["torn", "nested without end"])
async def test_an_event_that_is_no_json_is_told(server, provider, ask, broken):
    server.answer(Reply(parts=server_sent_events([chunk(content="a"), broken]), complete=True))
    end = (await ask(provider()))[-1]
    assert isinstance(end, Error)
    assert "no JSON" in end.message


async def test_an_error_in_mid_stream_is_an_error(server, provider, ask, sse):
    server.answer(sse(chunk(content="a"), {"error": {"message": "out of memory"}}))
    end = (await ask(provider()))[-1]
    assert end == Error(message="out of memory")


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        ({"message": "no", "type": "server_error"}, True),
        ({"message": "no", "code": 502}, True),
        ({"message": "no", "code": 400}, False),
        ({"message": "no", "code": "invalid_prompt"}, False),
        ("no", False),
    ],
)
async def test_an_error_in_mid_stream_says_whether_to_ask_again(server, provider, ask, sse, error, retryable):
    server.answer(sse(chunk(content="a"), {"error": error}))
    assert (await ask(provider()))[-1] == Error(message="no", retryable=retryable)


async def test_a_server_that_does_not_stream_is_told(server, provider, ask):
    server.answer(Reply.of_json({"choices": [{"message": {"content": "hi"}}]}))
    assert "something else than a stream" in (await ask(provider()))[-1].message


BLOCKS = st.sampled_from([TextContent(text="t"), TextContent(text=""), ThinkingContent(text="h"), PICTURE])
ANSWERS = st.builds(
    lambda blocks, ids: AssistantMessage(
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
    history = [UserMessage.from_text("begin")]
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
    payload = completions_payload(
        ModelRequest(model=model, messages=history, signal=AbortSignal()), openai=True
    )
    open_calls = []
    for message in payload["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
            open_calls = [one["id"] for one in message.get("tool_calls", ())]
            assert message["content"] or open_calls
    assert not open_calls
