"""What a file is, by its first bytes."""

from __future__ import annotations

import codecs
import mimetypes

__all__ = ["HEAD_BYTES", "binary_kind", "image_type", "text_encoding"]

HEAD_BYTES = 8192
"""How much of a file is looked at."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)

_KINDS = (
    (b"\x7fELF", "an ELF program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\x00asm", "a WebAssembly module"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "XZ data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
)


def image_type(head: bytes) -> str | None:
    """The media type of a picture a model can see; ``None`` for everything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _IMAGES if head.startswith(mark)), None)


def text_encoding(head: bytes) -> str | None:
    """The codec that reads the file as text, byte order mark left out; ``None`` where it is not text."""
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    if marked in {"utf-16", "utf-32"}:
        return marked
    return None if b"\0" in head[:HEAD_BYTES] else marked or "utf-8"


def binary_kind(head: bytes, name: str) -> str:
    """What a file that is not text seems to be, by content, else by name."""
    by_content = next((kind for mark, kind in _KINDS if head.startswith(mark)), None)
    return by_content or mimetypes.guess_type(name)[0] or "of unknown kind"
