"""What waits for a client that reads slowly: bounded, in order, and nothing lost without a word."""

import asyncio
import errno
import json
import os
import threading

import pytest

from pihost.content import ToolResult
from pihost.events import (
    AgentSettledEvent,
    MessageUpdateEvent,
    ToolExecutionUpdateEvent,
    TurnStartEvent,
)
from pihost.messages import AssistantMessage, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.modes.rpc._outbox import Outbox
from pihost.modes.rpc._writer import Writer
from pihost.modes.rpc.mode import Limits

MESSAGE = AssistantMessage(content=[])


def written(outbox):
    """Every record that waits."""
    outbox.close()
    lines = b"".join(iter(outbox.take, None))
    return [json.loads(line) for line in lines.splitlines()]


def update(delta):
    return MessageUpdateEvent(message=MESSAGE, delta=delta)


def progress(call_id, text):
    return ToolExecutionUpdateEvent(
        tool_call_id=call_id, tool_name="bash", args={}, partial_result=ToolResult.from_text(text)
    )


def turn(index):
    return TurnStartEvent(turn_index=index, timestamp=0)


async def test_pieces_of_one_block_become_one():
    outbox = Outbox()
    for text in ("a", "b", "c"):
        outbox.put_event(update(TextDelta(index=0, text=text)))
    outbox.put_event(update(TextDelta(index=1, text="d")))
    assert [record["delta"]["text"] for record in written(outbox)] == ["abc", "d"]


async def test_a_joined_thought_keeps_its_signature_and_a_joined_call_its_name():
    outbox = Outbox()
    outbox.put_event(update(ThinkingDelta(index=0, text="a")))
    outbox.put_event(update(ThinkingDelta(index=0, text="b", signature="s")))
    outbox.put_event(update(ToolCallDelta(index=1, id="1", name="ls", arguments_json="{")))
    outbox.put_event(update(ToolCallDelta(index=1, arguments_json="}")))
    thought, call = (record["delta"] for record in written(outbox))
    assert (thought["text"], thought["signature"]) == ("ab", "s")
    assert (call["id"], call["name"], call["arguments_json"]) == ("1", "ls", "{}")


async def test_pieces_are_not_joined_over_what_came_between():
    outbox = Outbox()
    outbox.put_event(update(TextDelta(index=0, text="a")))
    outbox.put_event(turn(1))
    outbox.put_event(update(TextDelta(index=0, text="b")))
    kinds = [record["type"] for record in written(outbox)]
    assert kinds == ["message_update", "turn_start", "message_update"]


async def test_of_the_updates_of_a_call_the_last_waits():
    outbox = Outbox()
    for number in range(3):
        for call_id in ("1", "2"):
            outbox.put_event(progress(call_id, f"{call_id}-{number}"))
    texts = [record["partial_result"]["content"][0]["text"] for record in written(outbox)]
    assert texts == ["1-2", "2-2"]


async def test_past_the_limit_events_are_left_out_and_counted_where_they_were():
    outbox = Outbox(max_bytes=200)
    for index in range(100):
        outbox.put_event(turn(index))
    first, *_some, lost = written(outbox)
    assert first["turn_index"] == 0
    assert lost["type"] == "events_lost"
    assert lost["count"] == 100 - 1 - len(_some)


async def test_responses_and_the_settling_are_never_left_out():
    outbox = Outbox(max_bytes=10)
    for index in range(5):
        outbox.put_event(turn(index))
        outbox.put({"type": "response", "id": index})
    outbox.put_event(AgentSettledEvent())
    records = written(outbox)
    assert [record["id"] for record in records if record["type"] == "response"] == [0, 1, 2, 3, 4]
    assert records[-1]["type"] == "agent_settled"
    assert sum(record.get("count", 0) for record in records) == 4


async def test_however_much_comes_no_more_than_the_limit_waits():
    outbox = Outbox(max_bytes=10_000)
    for index in range(5000):
        outbox.put_event(turn(index))
        outbox.put_event(update(TextDelta(index=0, text="x" * 100)))
        outbox.put_event(progress("1", "y" * 500))
    waiting = sum(len(json.dumps(record)) for record in written(outbox))
    assert waiting < 12_000


async def test_there_is_room_again_once_something_was_taken():
    outbox = Outbox(max_bytes=10)
    outbox.put({"type": "response"})
    waiting = asyncio.ensure_future(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await asyncio.to_thread(outbox.take)
    async with asyncio.timeout(5):
        await waiting


async def test_the_writer_ends_when_nobody_reads_any_more():
    reading, writing = os.pipe()
    gone = threading.Event()
    outbox = Outbox()
    writer = Writer(writing, outbox, gone.set)
    os.close(reading)
    outbox.put({"type": "response"})
    assert await asyncio.to_thread(gone.wait, 5)
    writer.finish(5)
    assert writer.fault is None
    os.close(writing)
    assert outbox.take() is None


async def test_a_full_disk_is_a_fault():
    outbox, full = Outbox(), os.open("/dev/full", os.O_WRONLY)
    writer = Writer(full, outbox, lambda: None)
    outbox.put({"type": "response"})
    await asyncio.to_thread(writer.finish, 5)
    os.close(full)
    assert writer.fault.errno == errno.ENOSPC


async def test_a_pipe_whose_writes_do_not_wait_is_written_in_full():
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    outbox = Outbox()
    writer = Writer(writing, outbox, lambda: None)
    outbox.put({"type": "response", "data": "x" * 300_000})
    os.close(writing)
    outbox.close()
    data = b"".join(iter(lambda: os.read(reading, 65536), b""))
    writer.finish(5)
    os.close(reading)
    assert len(json.loads(data)["data"]) == 300_000


async def test_a_client_that_goes_on_reading_is_waited_for_at_the_end():
    reading, writing = os.pipe()
    outbox = Outbox()
    writer = Writer(writing, outbox, lambda: None)
    for _ in range(10):
        outbox.put({"type": "response", "data": "x" * 60_000})
    os.close(writing)
    finishing = asyncio.ensure_future(asyncio.to_thread(writer.finish, 0.4))
    data = b""
    while piece := await asyncio.to_thread(os.read, reading, 65536):
        data += piece
        await asyncio.sleep(0.1)
    await finishing
    os.close(reading)
    assert data.count(b"\n") == 10


async def test_the_writer_is_not_waited_for_beyond_its_time():
    reading, writing = os.pipe()
    outbox = Outbox()
    writer = Writer(writing, outbox, lambda: None)
    outbox.put({"type": "response", "data": "x" * 1_000_000})
    finishing = asyncio.create_task(asyncio.to_thread(writer.finish, 0.1))
    done, _ = await asyncio.wait([finishing], timeout=5)
    assert finishing in done
    os.close(reading)  # so that the thread ends with the test
    writer.finish(5)
    os.close(writing)


async def test_a_client_that_does_not_read_holds_up_nobody_else(connected, extend):
    """The run goes on to its end, and the client learns how much it has missed."""
    extend(
        "loud",
        "def setup(api):\n"
        " async def loud(args, ctx):\n"
        "  for number in range(3000): ctx.ui.notify('x' * 100); api.set_session_name(f'{number}')\n"
        " api.register_command('loud', handler=loud)",
    )
    async with connected(limits=Limits(waiting_bytes=20_000)) as client:
        settled = asyncio.Event()
        client.host.subscribe(lambda event: event.hook_name == "agent_settled" and settled.set())
        client.send(type="prompt", text="/loud")
        async with asyncio.timeout(20):
            await settled.wait()
        await client.until(type="agent_settled")
    lost = sum(record["count"] for record in client.seen if record["type"] == "events_lost")
    seen = sum(record["type"] in ("extension_ui_request", "session_info_changed") for record in client.seen)
    assert lost + seen == 6000
    assert lost > 1000


@pytest.mark.parametrize("command", ["get_state", "get_messages"])
async def test_a_client_that_reads_late_gets_every_response(connected, command):
    async with connected(limits=Limits(waiting_bytes=1000)) as client:
        writing = asyncio.to_thread(lambda: [client.send(type=command, id=n) for n in range(600)])
        sending = asyncio.ensure_future(writing)
        await client.until(type="response", id=599)
        await sending
    assert [r["id"] for r in client.seen if r["type"] == "response"] == list(range(600))
