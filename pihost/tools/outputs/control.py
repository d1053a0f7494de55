"""Taking terminal control sequences out of a text stream, as the shells do before a model sees it."""

from __future__ import annotations

import re
from typing import Final

from pihost.tools.outputs._newlines import count_newlines

__all__ = ["ControlFilter"]

# A control string that is not ended within this many bytes is none. The longest in common use, pieces of
# pictures, have a short header and 4096 bytes of payload.
_MAX_STRING: Final = 8192

_ESC: Final = 0x1B
# The control characters U+0080 to U+009F, as UTF-8, stand for ESC and a byte from @ to _.
_C1_LEAD: Final = b"\xc2"
_C1: Final = re.compile(rb"\xc2([\x80-\x9f])")
_C1_TO_ESCAPED: Final = 0x40
_CONTROLS: Final = bytes(byte for byte in range(0x20) if byte not in b"\t\n\r")
_SUSPECTS: Final = (*_CONTROLS, 0x0D)

# Every repeat is bounded and possessive, and no part of a sequence holds an ESC: the time stays linear.
_CSI: Final = rb"\[[\x20-\x3f]{0,256}+"
_STRING: Final = rb"[\]PX^_][^\x07\x18\x1a\x1b]{0,%d}+" % _MAX_STRING
_SHORT: Final = rb"[\x20-\x2f]{0,8}+"
_SEQUENCE: Final = re.compile(
    rb"\x1b(?:" + _CSI + rb"[\x40-\x7e]?|" + _STRING + rb"(?:\x07|\x1b\\)|" + _SHORT + rb"[\x30-\x7e]?)"
)
_UNFINISHED: Final = re.compile(rb"\x1b(?:" + _CSI + rb"|" + _STRING + rb"\x1b?|" + _SHORT + rb")\Z")
_OPEN_STRING: Final = re.compile(rb"\x1b[\]PX^_]")
_STRING_END: Final = re.compile(rb"[\x07\x18\x1a\x1b]")


class ControlFilter:
    r"""Drops escape sequences and control characters from UTF-8 bytes, across the borders of chunks.

    What is dropped: CSI sequences; OSC, DCS, SOS, PM and APC strings with their payload; every other escape
    sequence of ECMA-48; the C0 controls except tab, newline and carriage return. ``\r\n`` becomes ``\n``. The
    C1 controls (U+0080 to U+009F), which many terminals obey too, count as what they stand for.

    A control string that never ends is no reason to lose text: if its end does not come within 8192 bytes,
    before another escape sequence, or before the end of the stream, only its introducer is dropped.

    The result does not depend on how the stream is cut into chunks. What may still become a part of a
    sequence is held back, at most those 8192 bytes and a few.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._held_return = False

    def feed(self, data: bytes, *, final: bool = False) -> tuple[bytes, int]:
        """Take the next chunk.

        Args:
            data: Valid UTF-8.
            final: Whether the stream ends with it.

        Returns:
            What is to be shown, ``data`` itself where nothing had to change, and how many newlines it holds.
        """
        if _C1_LEAD in data:
            data = _C1.sub(_escaped, data)
        if self._held:
            if not final and self._goes_on(data):
                self._held += data
                return b"", 0
            data = bytes(self._held) + data
            self._held.clear()
        if _ESC in data:
            if not final:
                data = self._hold_unfinished(data)
            # Splitting does what replacing by nothing does, in less time.
            data = b"".join(_SEQUENCE.split(data))
        return self._drop_controls(data, final=final)

    def _goes_on(self, data: bytes) -> bool:
        """Tell, looking at the new bytes only, whether the held control string is still without its end."""
        return (
            len(self._held) + len(data) <= _MAX_STRING
            and self._held[-1] != _ESC
            and _OPEN_STRING.match(self._held) is not None
            and _STRING_END.search(data) is None
        )

    def _hold_unfinished(self, data: bytes) -> bytes:
        last = data.rfind(_ESC)
        # A final ESC may be the first half of the end of a string that an earlier ESC began.
        candidates = (data.rfind(_ESC, 0, last), last) if last == len(data) - 1 else (last,)
        for start in candidates:
            if start != -1 and _UNFINISHED.match(data, start):
                self._held += data[start:]
                return data[:start]
        return data

    def _drop_controls(self, data: bytes, *, final: bool) -> tuple[bytes, int]:
        newlines = _newlines_if_clean(data)
        if newlines is not None and not self._held_return:
            return data, newlines
        if self._held_return:
            data = b"\r" + data
        data = data.translate(None, _CONTROLS)
        self._held_return = not final and data.endswith(b"\r")
        if self._held_return:
            data = data[:-1]
        data = data.replace(b"\r\n", b"\n")
        return data, count_newlines(data)


def _escaped(found: re.Match[bytes]) -> bytes:
    return bytes((_ESC, found[1][0] - _C1_TO_ESCAPED))


def _newlines_if_clean(data: bytes) -> int | None:
    """How many newlines there are; ``None`` where there is something to be dropped or changed as well."""
    # Searching for each of them in turn takes half the time of a pass that looks at every byte.
    return None if any(map(data.__contains__, _SUSPECTS)) else count_newlines(data)
