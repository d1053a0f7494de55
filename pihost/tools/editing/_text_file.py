"""The text of a file, with all that is needed to write back every byte that was not changed."""

import codecs
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from pihost._values import Value
from pihost.errors import PihostError
from pihost.tools.editing._regions import Region

__all__ = ["TextDecodeError", "TextFile", "decode_text", "decode_utf8", "find_bom"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNIT_BYTES = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}

_BLOCK = 1 << 14
"""Characters encoded at a time where only the size counts; the copy stays in the processor's cache."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ENDING = re.compile("\r?\n")


class TextDecodeError(PihostError):
    """The byte order mark promises an encoding that the bytes are not in.

    Attributes:
        encoding: The promised encoding.
        offset: Where in the file it stops being so, in bytes.
    """

    def __init__(self, encoding: str, offset: int) -> None:
        super().__init__(encoding, offset)
        self.encoding = encoding
        self.offset = offset

    def __str__(self) -> str:
        return f"The file begins as {self.encoding}, but the bytes at offset {self.offset} are no character."


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TextFile(Value):
    r"""A decoded file.

    Attributes:
        data: The bytes of the file.
        encoding: ``utf-8``, or UTF-16 or UTF-32 with a byte order, as the byte order mark says.
        bom: The byte order mark, or ``b""``.
        raw: The text after it, every line with the ending it has; bytes that are not valid UTF-8 as lone
            surrogates. What is left after the last whole UTF-16 or UTF-32 unit is no part of it.
        text: The same with ``"\n"`` for every ``"\r\n"``. A ``"\r"`` elsewhere is content.
    """

    data: bytes
    encoding: str
    bom: bytes
    raw: str
    text: str

    def replace(self, regions: Sequence[Region]) -> bytes:
        """The bytes of the file with regions of `text` replaced.

        Bytes outside the regions stay as they are. The lines of a new text take the endings of the lines
        they replace, one by one; further ones the last of these, or where there is none, that of the line
        they are in or the one before. Lone surrogates in a new text, which no encoding has, become U+FFFD
        unless they were in the file.

        Args:
            regions: What changes, in order and apart.
        """
        data = memoryview(self.data)
        pieces: list[bytes | memoryview] = []
        done, kept, at = _Spot(0, 0), 0, len(self.bom)
        for region in regions:
            start = self._spot(done, region.start)
            end = self._spot(start, region.end)
            at += self._size(done.raw, start.raw)
            pieces += data[kept:at], self._new(region, start.raw, end.raw)
            kept = at = at + self._size(start.raw, end.raw)
            done = end
        pieces.append(data[kept:])
        return b"".join(pieces)

    def _spot(self, known: "_Spot", offset: int) -> "_Spot":
        """Find where an offset of `text` is in `raw`, going on from a known spot."""
        if len(self.raw) == len(self.text):
            return _Spot(offset, offset)
        raw, ahead = known.raw, offset - known.text
        while ahead:  # as many characters further, then as many again as these had pairs
            begun, raw = raw, raw + ahead
            if self.raw[raw - 1 : raw + 1] == "\r\n":
                raw += 1
            ahead = self.raw.count("\r\n", begun, raw) - (raw - begun - ahead)
        return _Spot(offset, raw)

    def _size(self, start: int, end: int) -> int:
        """How many bytes of the file a stretch of `raw` comes from."""
        if self.encoding == "utf-8" and self.raw.isascii():
            return end - start
        blocks = range(start, end, _BLOCK)
        return sum(len(self._encode(self.raw[block : min(block + _BLOCK, end)])) for block in blocks)

    def _new(self, region: Region, start: int, end: int) -> bytes:
        text = region.text
        if not text.isascii():
            there = frozenset(_SURROGATE.findall(self.raw, start, end))
            text = _SURROGATE.sub(lambda found: found[0] if found[0] in there else "\ufffd", text)
        if len(self.raw) != len(self.text):
            text = _with_endings(text, _ENDING.findall(self.raw, start, end), self._ending_near(start, end))
        return self._encode(text)

    def _ending_near(self, start: int, end: int) -> str:
        """The ending of the line that a region is in, or of the one before if it has none."""
        newline = self.raw.find("\n", end)
        if newline < 0:
            newline = self.raw.rfind("\n", 0, start)
        return "\r\n" if newline > 0 and self.raw[newline - 1] == "\r" else "\n"

    def _encode(self, text: str) -> bytes:
        return text.encode(self.encoding, _lossless(self.encoding))


class _Spot(NamedTuple):
    """One place, as offset in `TextFile.text` and in `TextFile.raw`."""

    text: int
    raw: int


def find_bom(data: bytes) -> tuple[bytes, str]:
    """The byte order mark of a file, or ``b""``, and its encoding: UTF-8 without one."""
    return next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", "utf-8"))


def decode_text(data: bytes) -> TextFile:
    """Decode a file by its byte order mark.

    Raises:
        TextDecodeError: A UTF-32 file holds what is no character.
    """
    return _decode(data, *find_bom(data))


def decode_utf8(data: bytes) -> TextFile:
    """Decode some lines of a file in UTF-8; what is a mark at the start of a file is text in them."""
    return _decode(data, b"", "utf-8")


def _decode(data: bytes, bom: bytes, encoding: str) -> TextFile:
    end = len(data) - (len(data) - len(bom)) % _UNIT_BYTES.get(encoding, 1)
    body = data if not bom and end == len(data) else data[len(bom) : end]
    try:
        raw = body.decode(encoding, _lossless(encoding))
    except UnicodeDecodeError as error:
        raise TextDecodeError(encoding, len(bom) + error.start) from error
    text = raw.replace("\r\n", "\n") if "\r" in raw else raw
    return TextFile(data=data, encoding=encoding, bom=bom, raw=raw, text=text)


def _lossless(encoding: str) -> str:
    """The error handler with which decoding and encoding again gives the same bytes."""
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _with_endings(text: str, endings: Sequence[str], default: str) -> str:
    """Give each line the ending of the line it replaces."""
    lines = text.split("\n")
    further = endings[-1] if endings else default
    given: Iterable[str] = [*endings, *[further] * len(lines)]
    return (
        "".join(part for line, ending in zip(lines[:-1], given, strict=False) for part in (line, ending))
        + lines[-1]
    )
