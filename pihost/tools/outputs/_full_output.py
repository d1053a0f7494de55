"""Reading back a full output, as much of it as a caller can take."""

from __future__ import annotations

import os
from codecs import utf_8_decode
from pathlib import Path
from typing import Final

import attrs

from pihost._values import Value
from pihost.tools.outputs._decode import FilterFactory
from pihost.tools.outputs._utf8 import boundary_after

__all__ = ["FullOutput", "read_back", "render"]

# A control sequence may begin before the end that is shown; so many bytes before it are looked at.
_LOOKBACK: Final = 16 * 1024


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FullOutput(Value):
    """A full output, or both ends of it.

    Attributes:
        content: The text; where something was left out, a mark says how many bytes.
        truncated: Whether something was left out.
    """

    content: str
    truncated: bool


def read_back(path: Path, max_bytes: int, make_filter: FilterFactory) -> FullOutput:
    """Read a file of raw output.

    Args:
        path: The file.
        max_bytes: Most bytes of the file to show. Of a longer one, the first ``max_bytes // 2`` and the rest
            from its end are shown, drawn in to character boundaries.
        make_filter: What the text goes through.

    Raises:
        OSError: The file cannot be read, or is a link now.
    """
    with open(path, "rb", opener=_open_no_link) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= max_bytes:
            return FullOutput(content=render(file.read(), make_filter), truncated=False)
        head_size, tail_size = max_bytes // 2, max_bytes - max_bytes // 2
        head = file.read(head_size)
        file.seek(max(size - tail_size - _LOOKBACK, 0))
        end = file.read(size - file.tell())
    first = render(head, make_filter, complete=False)
    last = _render_end(end, len(end) - tail_size, make_filter)
    mark = f"\n\n[... {size - max_bytes} bytes omitted ...]\n\n"
    return FullOutput(content=first + mark + last, truncated=True)


def render(data: bytes, make_filter: FilterFactory, *, complete: bool = True) -> str:
    """Turn raw output, from its start on, into the text that is shown of it.

    Args:
        data: The raw bytes.
        make_filter: What the text goes through.
        complete: Whether the output ends with them; if not, an incomplete character at the end is left out.
    """
    text = utf_8_decode(data, "replace", complete)[0].removeprefix("\ufeff")
    if make_filter is None:
        return text
    return make_filter().feed(text.encode(), final=True)[0].decode()


def _render_end(data: bytes, start: int, make_filter: FilterFactory) -> str:
    """Turn raw output from ``start`` on into text; what precedes it gives the filter its state."""
    start = boundary_after(data, start)
    text = data[start:].decode("utf-8", "replace")
    if make_filter is None:
        return text
    text_filter = make_filter()
    text_filter.feed(data[:start].decode("utf-8", "replace").encode())
    return text_filter.feed(text.encode(), final=True)[0].decode()


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
