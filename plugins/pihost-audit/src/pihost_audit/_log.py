"""The file: private, append-only, a line at a time, begun anew when it has grown large."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["AuditLog"]


class AuditLog:
    """Appends records to a file.

    Args:
        path: The file; one that has grown past ``most_bytes`` is kept once, as ``<name>.1``.
        most_bytes: Bytes the file may have.
    """

    def __init__(self, path: Path, *, most_bytes: int = 16 << 20) -> None:
        self.path = path
        self._most_bytes = most_bytes

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record; a line is one write, so that two processes do not mix theirs.

        Raises:
            OSError: it cannot be written.
        """
        line = json.dumps(record, ensure_ascii=True, default=str).encode() + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.path, flags, 0o600)
        try:
            os.write(descriptor, line)
            full = os.fstat(descriptor).st_size > self._most_bytes
        finally:
            os.close(descriptor)
        if full:
            self.path.replace(self.path.with_name(f"{self.path.name}.1"))
