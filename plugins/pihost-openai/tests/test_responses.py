"""The Responses API against real bytes of HTTP on loopback."""

import json

import pytest

from pihost.models import (
    AssistantMessage,
    Done,
    Error,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
USAGE = {"input_tokens": 10, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 6}}


def event(name, **fields):
    return {"type": f"response.{name}", **fields}


def completed(**fields):
    return event("completed", response={"status": "completed", "usage": USAGE, **fields})


ANSWER = (
    event("created", response={"id": "r1"}),
    event("output_item.added", output_index=0, item={"type": "reasoning", "id": "rs_1"}),
    event("reasoning_summary_part.added", output_index=0),
    event("reasoning_summary_text.delta", output_index=0, delta="Hm."),
    event("reasoning_summary_part.added", output_index=0),
    event("reasoning_summary_text.delta", output_index=0, delta="So."),
    event("output_item.done", output_index=0, item={**THOUGHT, "status": "completed"}),
    event("output_text.delta", output_index=1, delta="Grüße, "),
    event("output_text.delta", output_index=1, delta="Welt"),
    event(
        "output_item.added",
        output_index=2,
        item={"type": "function_call", "call_id": "call_a", "name": "look"},
    ),
    event("function_call_arguments.delta", output_index=2, delta='{"place":'),
    event("function_call_arguments.delta", output_index=2, delta=' "hier"}'),
    event("something.new", output_index=2),
    completed(),
)


@pytest.fixture
def responses(provider):
    return lambda **fields: provider("openai-responses", **fields)


@pytest.mark.parametrize(("split", "end"), [(None, "\n"), (1, "\n"), (5, "\r\n")])
async def test_an_answer_comes_piece_by_piece_and_as_a_whole(server, responses, ask, sse, split, end):
    server.answer(sse(*ANSWER, split=split, end=end, done=False))
    done = (await ask(responses()))[-1]
    assert isinstance(done, Done)
    assert done.stop_reason == "tool_use"
    thought, text, call = done.message.content
    assert thought.text == "Hm.\n\nSo."
    assert json.loads(thought.signature) == THOUGHT
    assert text == TextContent(text="Grüße, Welt")
    assert call == ToolCall(id="call_a", name="look", arguments={"place": "hier"})
    assert (done.usage.input, done.usage.cache_read, done.usage.output) == (4, 6, 4)


async def test_the_request_says_what_was_asked_and_stores_nothing(server, responses, ask, sse):
    server.answer(sse(*ANSWER, done=False))
    await ask(responses(), thinking_level="high", max_tokens=50)
    (request,) = server.received
    assert request.path == "/v1/responses"
    payload = request.payload
    assert payload["input"] == [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]
    assert (payload["store"], payload["stream"], payload["instructions"]) == (False, True, "be brief")
    assert payload["reasoning"] == {"effort": "high", "summary": "auto"}
    assert payload["include"] == ["reasoning.encrypted_content"]
    assert payload["max_output_tokens"] == 50
    assert payload["tools"][0]["name"] == "look"


@pytest.mark.parametrize(("level", "effort"), [("minimal", "low"), ("medium", "medium"), ("xhigh", "high")])
async def test_only_efforts_that_every_model_knows_are_asked_for(server, responses, ask, sse, level, effort):
    server.answer(sse(*ANSWER, done=False))
    await ask(responses(), thinking_level=level)
    assert server.received[0].payload["reasoning"]["effort"] == effort


def answered(provider="acme", **fields):
    thought = ThinkingContent(text="Hm.", signature=json.dumps(THOUGHT))
    content = [thought, TextContent(text="I look"), ToolCall(id="c1", name="look", arguments={"place": "x"})]
    values = {"content": content, "provider": provider, "api": "openai-responses", "model": "small"}
    return AssistantMessage(**{**values, **fields})


async def test_thoughts_calls_and_pictures_go_back_as_they_came(server, responses, ask, sse):
    server.answer(sse(*ANSWER, done=False))
    picture = ImageContent(data="aGk=", mime_type="image/png")
    result = ToolResultMessage(
        tool_call_id="c1", tool_name="look", content=[TextContent(text="seen"), picture]
    )
    await ask(responses(), [UserMessage.from_text("go"), answered(), result])
    assert server.received[0].payload["input"][1:] == [
        THOUGHT,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look"}]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"place": "x"}'},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": [
                {"type": "input_text", "text": "seen"},
                {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
            ],
        },
    ]


@pytest.mark.parametrize(
    "message",
    [
        answered(provider="other"),
        answered(content=[ThinkingContent(text="Hm.", signature=json.dumps(THOUGHT))]),
        answered(content=[ThinkingContent(text="Hm.", signature="not json"), TextContent(text="I look")]),
        answered(content=[ThinkingContent(text="Hm.", signature="[" * 100_000), TextContent(text="I look")]),
    ],
    ids=["another's", "cut off", "no item", "nested without end"],
)
async def test_thoughts_that_the_provider_would_refuse_stay_here(server, responses, ask, sse, message):
    server.answer(sse(*ANSWER, done=False))
    await ask(responses(), [UserMessage.from_text("go"), message])
    assert "reasoning" not in [item.get("type") for item in server.received[0].payload["input"]]


@pytest.mark.parametrize(
    ("last", "end"),
    [
        (event("incomplete", response={"incomplete_details": {"reason": "max_output_tokens"}}), "length"),
        (
            event("incomplete", response={"incomplete_details": {"reason": "content_filter"}}),
            Error(message="The server's content filter stopped the answer"),
        ),
        (
            event(
                "failed", response={"status": "failed", "error": {"code": "server_error", "message": "no"}}
            ),
            Error(message="no", retryable=True),
        ),
        (
            {"type": "error", "code": "rate_limit_exceeded", "message": "slowly"},
            Error(message="slowly", retryable=True),
        ),
        (event("in_progress"), Error(message="The server's answer broke off", retryable=True)),
    ],
)
async def test_every_end_is_told(server, responses, ask, sse, last, end):
    server.answer(sse(event("output_text.delta", output_index=0, delta="a"), last, done=False))
    found = (await ask(responses()))[-1]
    assert (found.stop_reason if isinstance(found, Done) else found) == end
