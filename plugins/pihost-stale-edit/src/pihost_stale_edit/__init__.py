"""Refuses an edit of a file that changed on disk since this session last read it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import attrs

from pihost import ExtensionAPI, ExtensionContext
from pihost.events import SessionStartEvent, ToolCallFinalEvent, ToolCallResult, ToolResultEvent
from pihost.tools import resolve_tool_path

__all__ = ["setup"]

_READS = {"read"}
_CHANGES = {"edit", "write"}


@attrs.frozen(kw_only=True)
class _Config:
    """What the user may set under ``[extension.pihost-stale-edit]``.

    Attributes:
        require_read: Whether a file must have been read at all before it is edited.
    """

    require_read: bool = False


@attrs.frozen
class _Seen:
    """A file as it was: by what the file system says, and by content where that has changed."""

    stamp: tuple[int, int, int]
    digest: bytes

    @classmethod
    def of(cls, path: Path) -> _Seen:
        return cls(_stamp(path), _digest(path))

    def is_as_it_was(self, path: Path) -> bool:
        try:
            return _stamp(path) == self.stamp or _digest(path) == self.digest
        except OSError:
            return False


class _Watch:
    """Remembers the files of one session."""

    def __init__(self, config: _Config) -> None:
        self._config = config
        self._seen: dict[Path, _Seen] = {}

    def forget(self, _event: SessionStartEvent, _ctx: ExtensionContext) -> None:
        """Begin with nothing: another session has read nothing yet."""
        self._seen.clear()

    def remember(self, event: ToolResultEvent, ctx: ExtensionContext) -> None:
        """Keep how a file is after a tool has read or changed it."""
        path = _path(event, ctx.cwd)
        if path is None or event.is_error or event.tool_name not in _READS | _CHANGES:
            return
        try:
            self._seen[path] = _Seen.of(path)
        except OSError:
            self._seen.pop(path, None)  # gone again, so there is nothing to compare with

    def refuse(self, event: ToolCallFinalEvent, ctx: ExtensionContext) -> ToolCallResult | None:
        """Refuse a change of a file that is not as it was when it was read."""
        path = _path(event, ctx.cwd)
        if path is None or event.tool_name not in _CHANGES or not path.exists():
            return None
        seen = self._seen.get(path)
        if seen is None:
            if not self._config.require_read:
                return None
            return _refusal(f"{path} has not been read in this session. Read it first.")
        if seen.is_as_it_was(path):
            return None
        return _refusal(f"{path} has changed on disk since it was last read. Read it again, then edit it.")


def setup(api: ExtensionAPI) -> None:
    """Watch the files that are read, and guard their edits."""
    watch = _Watch(api.get_config(_Config))
    api.on("session_start", watch.forget)
    api.on("tool_result", watch.remember, trylast=True)
    api.on("tool_call_final", watch.refuse)


def _refusal(reason: str) -> ToolCallResult:
    return ToolCallResult(block=True, reason=reason)


def _path(event: ToolResultEvent | ToolCallFinalEvent, cwd: Path) -> Path | None:
    """The file that a tool means by a path: links followed, so that two ways to a file are one."""
    given = event.input.get("path")
    if not isinstance(given, str) or not given:
        return None
    return Path(os.path.realpath(resolve_tool_path(cwd, given, for_read=event.tool_name != "write")))


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
