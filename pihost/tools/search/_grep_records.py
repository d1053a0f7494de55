"""What ripgrep reports as JSON, gathered into lines to show."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable

import attrs
import msgspec

from pihost.tools.outputs.truncate import truncate_line
from pihost.tools.search._listing import printable

__all__ = ["GrepCollector"]


class _Text(msgspec.Struct):
    """Text, or what is not valid UTF-8 in base64."""

    text: str | None = None
    encoded: str | None = msgspec.field(default=None, name="bytes")

    def raw(self) -> bytes:
        return base64.b64decode(self.encoded) if self.encoded is not None else (self.text or "").encode()


class _Data(msgspec.Struct):
    """The parts of a report that count here."""

    path: _Text | None = None
    lines: _Text | None = None
    line_number: int | None = None


class _Record(msgspec.Struct):
    """One report: ``begin``, ``match``, ``context``, ``end`` or ``summary``."""

    type: str
    data: _Data


@attrs.define(kw_only=True)
class GrepCollector:
    """Takes ripgrep's reports until there are enough matches.

    Attributes:
        wants: Says of a file, by its relative path, whether its matches count.
        limit: Most matches.
        context: Lines around a match; those after the last one are waited for.
        name: How the one file searched is called; ``None`` where a directory is searched.
        matches: How many there are.
        lines_cut: Whether long lines were cut.
        finished: Whether ripgrep came to its end.
    """

    wants: Callable[[str], bool]
    limit: int
    context: int
    name: str | None = None
    matches: int = attrs.field(default=0, init=False)
    lines_cut: bool = attrs.field(default=False, init=False)
    finished: bool = attrs.field(default=False, init=False)
    _decoder: msgspec.json.Decoder[_Record] = attrs.field(
        factory=lambda: msgspec.json.Decoder(_Record), init=False
    )
    _files: dict[str, list[str]] = attrs.field(factory=dict, init=False)
    _lines: list[str] | None = attrs.field(default=None, init=False)
    _shown_name: str = attrs.field(default="", init=False)
    _following: int = attrs.field(default=0, init=False)

    @property
    def lines(self) -> list[str]:
        """What was found, by file in order of their names."""
        return [line for _, lines in sorted(self._files.items()) for line in lines]

    def take(self, records: bytes) -> bool:
        """Take reports, one on a line; whether more are wanted."""
        return all(self._take(self._decoder.decode(record)) for record in records.split(b"\n"))

    def _take(self, record: _Record) -> bool:
        if record.type == "begin":
            self._begin(record.data)
        elif record.type == "summary":
            self.finished = True
        elif record.type == "end":
            return not self._is_full
        elif self._lines is not None:
            return self._line(record, self._lines)
        return True

    @property
    def _is_full(self) -> bool:
        return self.matches >= self.limit

    def _begin(self, data: _Data) -> None:
        path = os.fsdecode(data.path.raw() if data.path is not None else b"").replace(os.sep, "/")
        path = path.removeprefix("./")
        self._lines = self._files.setdefault(path, []) if self.wants(path) else None
        self._shown_name = printable(self.name or path)

    def _line(self, record: _Record, lines: list[str]) -> bool:
        is_match = record.type == "match"
        if self._is_full and (is_match or not self._following):
            return False
        if is_match:
            self.matches += 1
            self._following = self.context
        else:
            self._following -= 1
        raw = record.data.lines.raw() if record.data.lines is not None else b""
        text, was_cut = truncate_line(raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r"))
        self.lines_cut = self.lines_cut or was_cut
        number = record.data.line_number
        lines.append(
            f"{self._shown_name}:{number}: {text}" if is_match else f"{self._shown_name}-{number}- {text}"
        )
        return not self._is_full or self._following > 0
