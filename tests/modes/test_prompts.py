"""Prompts from words, attached files and standard input."""

import asyncio
import base64
import os
import socket
import sys
import time

import pytest

from pihost.modes.prompts import AttachmentError, Prompt, gather_prompts, read_standard_input

PNG = b"\x89PNG\r\n\x1a\n\0\0"


def test_each_word_is_a_prompt_of_its_own(tmp_path):
    assert gather_prompts(["one", "two"], [], None, tmp_path) == (Prompt(text="one"), Prompt(text="two"))


def test_piped_text_alone_is_the_prompt(tmp_path):
    assert gather_prompts([], [], "read a\n", tmp_path) == (Prompt(text="read a\n"),)


def test_nothing_is_no_prompt(tmp_path):
    assert gather_prompts([], [], None, tmp_path) == ()


def test_what_comes_along_stands_before_the_first_prompt(tmp_path):
    (tmp_path / "a b.txt").write_text("text\n")
    first, second = gather_prompts(["sum", "then"], ["a b.txt"], "data\n", tmp_path)
    blocks = '<file name="stdin">\ndata\n</file>\n\n<file name="a b.txt">\ntext\n</file>'
    assert first.text == f"{blocks}\n\nsum"
    assert second.text == "then"


def test_a_file_alone_is_a_prompt(tmp_path):
    (tmp_path / "a.txt").write_text("text")
    assert gather_prompts([], ["a.txt"], None, tmp_path)[0].text == '<file name="a.txt">\ntext\n</file>'


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_a_picture_is_known_by_its_content(tmp_path, data, mime_type):
    (tmp_path / "x.txt").write_bytes(data)
    (prompt,) = gather_prompts(["look"], ["x.txt"], None, tmp_path)
    assert prompt.text == "look"
    assert [(image.mime_type, base64.b64decode(image.data)) for image in prompt.images] == [(mime_type, data)]


@pytest.mark.parametrize(
    ("name", "reason"), [("gone.txt", "No such file"), ("folder", "directory"), ("binary", "neither text")]
)
def test_what_cannot_be_attached_is_told(tmp_path, name, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"a\0b")
    with pytest.raises(AttachmentError, match=reason) as caught:
        gather_prompts([], [name], None, tmp_path)
    assert str(caught.value).startswith(f"@{name}: ")


def test_text_that_is_not_utf8_is_attached_all_the_same(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    assert "caf\ufffd" in gather_prompts([], ["a.txt"], None, tmp_path)[0].text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_text_is_attached_without_its_byte_order_mark(tmp_path, encoding):
    """As the read tool shows it."""
    (tmp_path / "a.txt").write_text("Grüße", encoding=encoding)
    (prompt,) = gather_prompts([], ["a.txt"], None, tmp_path)
    assert prompt.text == '<file name="a.txt">\nGrüße\n</file>'


@pytest.fixture
def stdin(monkeypatch):
    """Make a descriptor the standard input."""
    opened = []

    def use(descriptor):
        file = os.fdopen(descriptor)
        opened.append(file)
        monkeypatch.setattr(sys, "stdin", file)

    yield use
    for file in opened:
        file.close()


@pytest.fixture
def pipe(stdin):
    """Standard input is a pipe; the end to write into."""
    reading, writing = os.pipe()
    stdin(reading)
    with os.fdopen(writing, "wb", buffering=0) as file:
        yield file


async def test_a_pipe_is_read_to_its_end(pipe):
    async def write():
        for piece in ("ä".encode()[:1], "ä".encode()[1:], b"\xff", b"x" * 200_000):
            await asyncio.to_thread(pipe.write, piece)
            await asyncio.sleep(0.01)
        pipe.close()

    writer = asyncio.create_task(write())
    text = await read_standard_input(patient=False)
    await writer
    assert text == "ä\ufffd" + "x" * 200_000


async def test_a_pipe_closed_at_once_is_nothing(pipe):
    pipe.close()
    assert await read_standard_input(patient=True) is None


async def test_a_pipe_on_which_nothing_comes_is_nothing_after_a_while(pipe):
    started = time.monotonic()
    assert await read_standard_input(patient=False, first_byte_seconds=0.05) is None
    assert time.monotonic() - started < 2


async def test_waiting_for_a_pipe_can_be_cancelled(pipe):
    task = asyncio.create_task(read_standard_input(patient=True))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_socket_is_read_like_a_pipe(stdin):
    ours, theirs = socket.socketpair()
    stdin(theirs.detach())
    ours.sendall(b"data")
    ours.close()
    assert await read_standard_input(patient=False) == "data"


async def test_a_file_is_read(tmp_path, stdin):
    (tmp_path / "in").write_text("data")
    stdin(os.open(tmp_path / "in", os.O_RDONLY))
    assert await read_standard_input(patient=False) == "data"


async def test_the_null_device_is_nothing(stdin):
    stdin(os.open(os.devnull, os.O_RDONLY))
    assert await read_standard_input(patient=True) is None


async def test_a_terminal_is_nothing(stdin):
    master, slave = os.openpty()
    stdin(slave)
    assert await read_standard_input(patient=True) is None
    os.close(master)


async def test_no_standard_input_is_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert await read_standard_input(patient=True) is None
