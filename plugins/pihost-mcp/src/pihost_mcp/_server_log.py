"""What a server says on its standard error: kept in a file, and the end of it for messages."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

__all__ = ["ServerLog"]

_MOST_BYTES = 1024 * 1024
"""A log that is longer begins anew; the one before is kept beside it."""
_LONGEST_LINE = 64 * 1024
_TAIL_LINES = 10
_TAIL_CHARS = 600


class ServerLog:
    """The log of a server. A file that cannot be written is done without.

    Args:
        file: Where it is kept; ``None`` is nowhere.
        mask: Takes out of a text what is not to be shown.
    """

    def __init__(self, file: Path | None, mask: Callable[[str], str]) -> None:
        self._file = file
        self._mask = mask
        self._open = b""
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    def write(self, piece: bytes) -> None:
        """Take more of it, cut anywhere."""
        whole, newline, rest = (self._open + piece).rpartition(b"\n")
        if len(rest) > _LONGEST_LINE:
            whole, newline, rest = whole + newline + rest, b"\n", b""
        self._open = rest
        if newline:
            self._keep(self._mask(whole.decode(errors="replace")))

    def note(self, text: str) -> None:
        """Put down a line of our own."""
        self._append(f"[pihost] {self._mask(text)}\n")

    def tail(self) -> str:
        """The last lines of it, those only begun included; empty where nothing was said."""
        lines = [*self._tail, self._mask(self._open.decode(errors="replace"))]
        return "\n".join(line for line in lines if line.strip())[-_TAIL_CHARS:].strip()

    def _keep(self, text: str) -> None:
        self._tail.extend(text.splitlines()[-_TAIL_LINES:])
        self._append(text + "\n")

    def _append(self, text: str) -> None:
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            if self._file.exists() and self._file.stat().st_size > _MOST_BYTES:
                self._file.replace(self._file.with_suffix(".log.1"))
            descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
