"""A byte stream as well-formed text, chunk by chunk."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable
from typing import Final, Protocol

from pihost.tools.outputs._newlines import count_newlines

__all__ = ["FilterFactory", "TextFilter", "TextStream"]

_BOM: Final = b"\xef\xbb\xbf"
# Decoded, a block takes up to four times its size; what is more than the allocator keeps at hand costs page
# faults, which take longer than the decoding.
_BLOCK: Final = 32 * 1024


class TextFilter(Protocol):
    """Changes a stream of text on its way to being counted and shown; one object serves one stream."""

    def feed(self, data: bytes, *, final: bool = False) -> tuple[bytes, int]:
        """Take the next chunk.

        Args:
            data: Valid UTF-8, whole characters.
            final: Whether the stream ends with it.

        Returns:
            What is to be shown now, valid UTF-8 and whole characters too, and how many newlines it holds: a
            filter looks at every byte and can count on the way.
        """


FilterFactory = Callable[[], TextFilter] | None
"""Makes a filter for each stream that goes through it; ``None`` leaves the text as it is."""


class TextStream:
    """Turns chunks of any bytes into chunks of valid UTF-8, and counts their newlines.

    A sequence that a chunk leaves incomplete is held back until the next one, so a character is never torn.
    Malformed bytes become U+FFFD. One byte order mark at the very start is dropped.

    Args:
        make_filter: What the text goes through afterwards.
    """

    def __init__(self, make_filter: FilterFactory = None) -> None:
        self._filter = make_filter() if make_filter is not None else None
        self._held = b""
        self._started = False

    def feed(self, data: bytes, *, final: bool = False) -> tuple[bytes, int]:
        """Take the next chunk.

        Args:
            data: Any bytes.
            final: Whether the stream ends with them; what is still incomplete then becomes U+FFFD.

        Returns:
            The text as UTF-8, which is ``data`` itself where nothing had to change, and its newlines.
        """
        if self._held or not data.isascii():
            data = self._decode(data, final=final)
        self._started = self._started or bool(data)
        if self._filter is not None:
            return self._filter.feed(data, final=final)
        return data, count_newlines(data)

    def _decode(self, data: bytes, *, final: bool) -> bytes:
        if self._held:
            data = self._held + data
        try:
            used = _whole_characters(data, final=final)
            valid = data[:used]
        except UnicodeDecodeError:
            text, used = utf_8_decode(data, "replace", final)
            valid = text.encode()
        self._held = data[used:]
        if valid and not self._started:
            self._started = True
            valid = valid.removeprefix(_BOM)
        return valid


def _whole_characters(data: bytes, *, final: bool) -> int:
    """Return how many bytes of ``data`` are whole characters: all but what the next chunk may complete.

    Raises:
        UnicodeDecodeError: it is malformed.
    """
    used = 0
    while len(data) - used > _BLOCK:
        used += utf_8_decode(data[used : used + _BLOCK])[1]
    return used + utf_8_decode(data[used:], "strict", final)[1]
