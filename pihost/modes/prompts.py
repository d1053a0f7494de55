"""Prompts for a session, made of words, attached files and standard input."""

from __future__ import annotations

import asyncio
import base64
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.content import ImageContent
from pihost.errors import PihostError

__all__ = ["AttachmentError", "Prompt", "gather_prompts", "read_standard_input"]

FIRST_BYTE_SECONDS = 5.0
"""How long a prompt waits for a pipe on which nothing comes; whoever left it open may never close it."""

_PIECE = 65536


class AttachmentError(PihostError):
    """An attached file cannot be used.

    Attributes:
        path: The file.
        reason: Why not.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"@{self.path}: {self.reason}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Prompt(Value):
    """One thing to say to a session."""

    text: str
    images: tuple[ImageContent, ...] = ()


def gather_prompts(
    words: Sequence[str], files: Sequence[str], piped: str | None, cwd: Path
) -> tuple[Prompt, ...]:
    """The prompts of a command line; attached files and piped text go before the first of them.

    Args:
        words: The prompts as typed, one run each.
        files: Paths of attached files, relative to ``cwd``.
        piped: What came on standard input; alone it is the prompt itself.
        cwd: The session's directory.

    Raises:
        AttachmentError: a file is not there, cannot be read, or is neither text nor a picture.
    """
    if not words and not files:
        return (Prompt(text=piped),) if piped else ()
    blocks = [_block("stdin", piped)] if piped else []
    images = []
    for name in files:
        content = _attachment(name, cwd)
        if isinstance(content, ImageContent):
            images.append(content)
        else:
            blocks.append(_block(name, content))
    first, *others = words or [""]
    opening = Prompt(text="\n\n".join([*blocks, first]).strip("\n"), images=tuple(images))
    return (opening, *(Prompt(text=word) for word in others))


def _block(name: str, text: str) -> str:
    return f'<file name="{name}">\n{text.rstrip()}\n</file>'


def _attachment(name: str, cwd: Path) -> str | ImageContent:
    from pihost.tools.reading.sniff import image_type, text_encoding

    path = cwd / Path(name).expanduser()
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise AttachmentError(name, fault.strerror or str(fault)) from fault
    picture = image_type(data)
    if picture is not None:
        return ImageContent(data=base64.b64encode(data).decode("ascii"), mime_type=picture)
    encoding = text_encoding(data)
    if encoding is None:
        raise AttachmentError(name, "is neither text nor a picture")
    return data.decode(encoding, errors="replace")


async def read_standard_input(*, patient: bool, first_byte_seconds: float = FIRST_BYTE_SECONDS) -> str | None:
    """What was piped in; ``None`` where nothing was.

    Args:
        patient: Wait for the end of the stream however long it takes. Otherwise a pipe on which nothing comes
            for some seconds counts as empty.
        first_byte_seconds: How many.

    Returns:
        The text, with bytes that are not UTF-8 as U+FFFD.
    """
    if sys.stdin is None or sys.stdin.closed:
        return None
    try:
        descriptor = sys.stdin.fileno()
        kind = os.fstat(descriptor).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISCHR(kind) and os.isatty(descriptor):
        return None
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
        data = await _received(descriptor, None if patient else first_byte_seconds)
    else:
        data = sys.stdin.buffer.read()
    return data.decode("utf-8", errors="replace") or None


async def _received(descriptor: int, first_byte_seconds: float | None) -> bytes:
    """What comes on a pipe or a socket up to its end; whoever waits for it can be cancelled meanwhile."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes] = asyncio.Queue()
    # Being told that there is something to read, a read returns at once with what there is.
    loop.add_reader(descriptor, lambda: pieces.put_nowait(os.read(descriptor, _PIECE)))
    try:
        received = [await asyncio.wait_for(pieces.get(), first_byte_seconds)]
        while received[-1]:
            received.append(await pieces.get())
    except TimeoutError:
        return b""
    finally:
        loop.remove_reader(descriptor)
    return b"".join(received)
