"""The ``read`` tool: some lines of a text file, or a picture."""

from __future__ import annotations

import base64
import codecs
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import attrs

from pihost._values import Value
from pihost.content import ImageContent, TextContent, ToolResult
from pihost.tools._parameters import ReadParameters
from pihost.tools._threads import run_to_end
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.outputs.truncate import (
    DEFAULT_MAX_BYTES,
    TruncationResult,
    format_size,
    truncate_head,
)
from pihost.tools.reading._line_slice import LineSlice, slice_lines
from pihost.tools.reading.sniff import HEAD_BYTES, binary_kind, image_type, text_encoding
from pihost.tools.tool_path import resolve_tool_path

__all__ = ["ReadDetails", "read_file"]

_SMALL_FILE = 1 << 20
"""Up to so many bytes are read on the spot: a thread would take longer."""

_CHUNK = 1 << 20
_LARGEST_IMAGE = 20 << 20


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ReadDetails(Value):
    """Besides the text of ``read``.

    Attributes:
        truncation: How the shown lines relate to the lines asked for.
    """

    truncation: TruncationResult


async def read_file(cwd: Path, params: ReadParameters) -> ToolResult:
    """Carry out a call of ``read``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.

    Raises:
        ToolFailedError: it cannot be done.
    """
    path = resolve_tool_path(cwd, params.path, for_read=True)
    try:
        size = _size(path, params.path)
        if size <= _SMALL_FILE:
            return _read(path, params, size)
        return await run_to_end(lambda: _read(path, params, size))
    except (OSError, ValueError) as fault:
        raise file_failure("read", params.path, fault) from fault


def _size(path: Path, shown: str) -> int:
    """The file's size, if it is one: opening a pipe could wait for ever."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ToolFailedError(f"Cannot read {shown}: it is a directory. Use ls to list it.")
    if not stat.S_ISREG(status.st_mode):
        raise ToolFailedError(f"Cannot read {shown}: it is a device, pipe or socket, not a file.")
    return status.st_size


def _read(path: Path, params: ReadParameters, size: int) -> ToolResult:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        image = image_type(head)
        if image is not None:
            return _image(head, file, image, size)
        encoding = text_encoding(head)
        if encoding is None:
            kind = binary_kind(head, path.name)
            raise ToolFailedError(
                f"Cannot read {params.path} as text: it is a binary file of {format_size(size)}, {kind}."
            )
        chunks = _utf8_chunks(head, file, encoding)
        found = slice_lines(chunks, offset=params.offset or 1, limit=params.limit, keep=DEFAULT_MAX_BYTES + 1)
    return _text(path, params, found, encoding)


def _image(head: bytes, file: BinaryIO, media_type: str, size: int) -> ToolResult:
    if size > _LARGEST_IMAGE:
        limit = format_size(_LARGEST_IMAGE)
        raise ToolFailedError(
            f"The picture has {format_size(size)}; at most {limit} can be shown. Make it smaller."
        )
    data = base64.b64encode(head + file.read()).decode("ascii")
    note = TextContent(text=f"Picture: {media_type}, {format_size(size)}.")
    return ToolResult(content=[note, ImageContent(data=data, mime_type=media_type)])


def _utf8_chunks(head: bytes, file: BinaryIO, encoding: str) -> Iterator[bytes]:
    """The file as UTF-8 without a byte order mark; what was UTF-8 keeps its bytes, valid or not."""
    if encoding.startswith("utf-8"):
        yield head.removeprefix(codecs.BOM_UTF8)
        while chunk := file.read(_CHUNK):
            yield chunk
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(head).encode()
    while chunk := file.read(_CHUNK):
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


def _text(path: Path, params: ReadParameters, found: LineSlice, encoding: str) -> ToolResult:
    offset = params.offset or 1
    if not found.total_lines and offset == 1:
        return ToolResult.from_text("(empty file)")
    if offset > found.total_lines:
        raise ToolFailedError(
            f"offset {offset} is past the end of {params.path}, which has {found.total_lines} lines."
        )
    cut = truncate_head(found.data.decode("utf-8", "replace"))
    if cut.truncated:
        cut = attrs.evolve(cut, total_lines=found.lines, total_bytes=found.size)
        details = ReadDetails(truncation=cut)
    else:
        details = None
    notices = [_position(path, found, cut, offset, encoding)]
    if cut.content.encode() != found.data[: cut.output_bytes]:
        notices.append("[Bytes that are not valid text are shown as \ufffd.]")
    text = cut.content
    if notices[0]:
        text = text.removesuffix("\n")
    return ToolResult.from_text("\n\n".join(part for part in [text, *notices] if part), details=details)


def _position(path: Path, found: LineSlice, cut: TruncationResult, offset: int, encoding: str) -> str:
    """Where the shown lines are in the file and how to get at what follows; empty where nothing does."""
    total = found.total_lines
    if cut.first_line_exceeds_limit:
        return _long_line(path, found, offset, encoding)
    if cut.truncated:
        last = offset + cut.output_lines - 1
        limit = f" ({format_size(cut.max_bytes)} limit)" if cut.truncated_by == "bytes" else ""
        return f"[Showing lines {offset}-{last} of {total}{limit}. Use offset={last + 1} to continue.]"
    following = offset + found.lines
    if following <= total:
        return f"[{total - following + 1} more lines in file. Use offset={following} to continue.]"
    return ""


def _long_line(path: Path, found: LineSlice, offset: int, encoding: str) -> str:
    name = shlex.quote(str(path))
    source = name if encoding.startswith("utf-8") else f"<(iconv -f {encoding.upper()} -t UTF-8 {name})"
    limit = format_size(DEFAULT_MAX_BYTES)
    slice_of_it = f"sed -n '{offset}p' {source} | head -c {DEFAULT_MAX_BYTES}"
    onward = f" Use offset={offset + 1} for the lines after it." if offset < found.total_lines else ""
    return (
        f"[Line {offset} is {format_size(found.first_size)}, over the {limit} limit. "
        f"Use bash: {slice_of_it}{onward}]"
    )
