"""Whatever a client writes, every line gets exactly one response and the connection goes on."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pihost.modes.rpc.mode import Limits
from pihost.protocol.commands import COMMANDS

SAFE = sorted(
    COMMANDS.keys() - {"bash", "call_tool", "prompt", "steer", "follow_up", "new_session", "compact"}
)
JUNK = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from([*SAFE, "prompt", "extension_ui_response", "nothing"])},
    optional=dict.fromkeys(("id", "model", "level", "path", "entry_id", "images", "value"), JUNK),
).map(lambda record: json.dumps(record).encode())
LINES = st.lists(
    (st.binary(max_size=30) | RECORDS).map(lambda line: line.replace(b"\n", b" ")), min_size=1, max_size=8
)


def responses(records):
    return [record for record in records if record["type"] == "response"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"nope", "not a line of JSON in UTF-8"),
        (b"", "not a line of JSON in UTF-8"),
        (b"\r", "not a line of JSON in UTF-8"),
        (b"[1]", "a command is an object"),
        (b"\xff\xfe", "not a line of JSON in UTF-8"),
        (b'{"type": "prompt", "text": "\\udc80"}', "it holds a lone surrogate"),
        (b'{"type": "abort", "now": true}', "unknown 'now' @ abort"),
        (b'{"type": "prompt", "text": "' + b"x" * 3000 + b'"}', "the line is longer than 2000 bytes"),
    ],
)
async def test_a_malformed_line_is_answered_and_the_next_is_done(connected, line, fault):
    async with connected(limits=Limits(line_bytes=2000)) as client:
        client.write(line + b"\n")
        refused = await client.until(type="response")
        state = await client.ask(type="get_state")
    assert (refused["success"], refused["id"], fault in refused["error"]) == (False, None, True)
    assert state["success"] is True


async def test_the_last_line_is_not_done_without_its_newline(connected):
    async with connected() as client:
        client.write(b'{"type": "set_thinking_level", "level": "high"}')
    assert "was not ended by a newline" in client.seen[-1]["error"]
    assert client.host.session.state.thinking_level == "off"


async def test_a_stream_that_comes_byte_by_byte_is_the_same_commands(connected):
    data = '{"type": "get_state", "id": "ä\u2028"}\n{"type": "get_commands", "id": 2}\n'.encode()
    async with connected() as client:
        for index in range(len(data)):
            client.write(data[index : index + 1])
        await client.until(type="response", id=2)
    assert [record["id"] for record in client.seen] == ["ä\u2028", 2]


async def test_a_thousand_commands_at_once_are_all_answered_in_order(connected):
    async with connected() as client:
        for number in range(1000):
            client.send(type="get_commands", id=number)
        await client.until(type="response", id=999)
    assert [record["id"] for record in responses(client.seen)] == list(range(1000))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
async def test_any_lines_get_one_response_each(connected, lines):
    async with connected() as client:
        client.write(b"".join(line + b"\n" for line in lines))
        client.close()
    assert len(responses(client.seen)) == len(lines)
