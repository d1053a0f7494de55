"""What a client says arrives from whatever it is written to."""

import asyncio
import os
import socket

import pytest

from pihost import Host, HostConfig
from pihost.config import HostOptions
from pihost.modes.rpc.mode import RpcMode
from pihost.modes.rpc.source import own_input, pieces

_NOTHING = 1000
"""A descriptor of nothing that is open."""


async def everything(descriptor):
    return b"".join([piece async for piece in pieces(descriptor)])


async def test_a_pipe_is_read_to_its_end_while_others_work():
    reading, writing = os.pipe()
    task = asyncio.ensure_future(everything(reading))
    for byte in b"abc":
        os.write(writing, bytes([byte]))
        await asyncio.sleep(0)
    os.close(writing)
    assert await task == b"abc"
    os.close(reading)


@pytest.mark.parametrize("size", [0, 200_000])
async def test_a_file_is_read_to_its_end(tmp_path, size):
    (tmp_path / "file").write_bytes(b"x" * size)
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert len(await everything(descriptor)) == size
    os.close(descriptor)


async def test_a_loop_that_waits_for_no_descriptor_is_helped_by_a_thread(monkeypatch):
    """As on Windows."""

    def refuse(*_):
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", refuse)
    reading, writing = os.pipe()
    os.write(writing, b"abc")
    task = asyncio.ensure_future(everything(reading))
    await asyncio.sleep(0.05)
    os.write(writing, b"def")
    os.close(writing)
    assert await task == b"abcdef"
    os.close(reading)


async def test_a_connection_that_is_reset_has_ended():
    ours, theirs = socket.socketpair()
    task = asyncio.ensure_future(everything(ours.fileno()))
    await asyncio.sleep(0)
    theirs.close()
    assert await task == b""
    ours.close()


def test_others_find_standard_input_empty_and_have_it_again_afterwards(capfd):
    reading, writing = os.pipe()
    os.write(writing, b"theirs and ours")
    before = os.dup(0)
    os.dup2(reading, 0)
    try:
        with own_input() as own:
            assert os.read(0, 10) == b""
            assert os.read(own, 6) == b"theirs"
        assert os.read(0, 9) == b" and ours"
    finally:
        os.dup2(before, 0)
        for descriptor in (before, reading, writing):
            os.close(descriptor)


async def test_a_client_that_cannot_be_listened_to_ends_the_mode_with_the_reason(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    mode = RpcMode(_NOTHING, writing)
    config, options = HostConfig(home=tmp_path / "home"), HostOptions(mode="rpc")
    async with Host.open(tmp_path, config=config, options=options, before_start=mode.follow) as host:
        with pytest.raises(OSError, match="Bad file descriptor"):
            await mode.run(host, [])
    mode.finish()
    os.close(writing)
