"""The sessions there are: found by their files, told by the first and the last few KiB of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.jsonlines import decode
from pihost.paths import slug
from pihost.session._codec import NotARecordError
from pihost.session._header import split_header
from pihost.session.errors import SessionNotFoundError

__all__ = ["SessionSummary", "find_session", "list_sessions", "summary_of"]

_CHUNK = 8192
"""Bytes that are read from either end of a file."""
_WORDS = 200
"""Characters of the first prompt that are kept."""
_ID = re.compile(r"[0-9a-f][0-9a-f-]*")
_TEXT = re.compile(rb'"text":"((?:[^"\\]|\\.)*)')


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionSummary(Value):
    """What a list shows of a session.

    Attributes:
        file: Its file.
        id: Its id.
        cwd: The directory it works in.
        name: Its name, if either end of the file tells one.
        first_prompt: What was said first, cut; empty where the file's beginning does not tell.
        created: When it began, ISO 8601 in UTC.
        modified: When it was written last, ISO 8601 in UTC.
        size: Bytes of the file.
        parent_session: File of the session it was forked from, or ``None``.
    """

    file: Path
    id: str
    cwd: str
    name: str | None
    first_prompt: str
    created: str
    modified: str
    size: int
    parent_session: str | None


def list_sessions(directory: Path, cwd: Path | None = None) -> tuple[SessionSummary, ...]:
    """The sessions of one directory, or of all, those written last first. What is no session is left out.

    Args:
        directory: Where the sessions of all directories are kept.
        cwd: The directory the sessions work in, absolute; ``None`` lists those of all.
    """
    pattern = f"{slug(cwd)}/*.jsonl" if cwd is not None else "*/*.jsonl"
    found = [one for path in directory.glob(pattern) if (one := summary_of(path)) is not None]
    mine = [one for one in found if cwd is None or one.cwd == str(cwd)]
    return tuple(sorted(mine, key=lambda one: (one.modified, one.file.name), reverse=True))


def find_session(directory: Path, text: str) -> Path:
    """The file of the one session whose id begins with ``text``.

    Args:
        directory: Where the sessions of all directories are kept.
        text: An id or the beginning of one.

    Raises:
        SessionNotFoundError: there is none, or more than one.
    """
    wanted = text.lower()
    found = []
    if _ID.fullmatch(wanted):
        found = [
            path for path in sorted(directory.glob(f"*/*_{wanted}*.jsonl")) if _id_of(path).startswith(wanted)
        ]
    if len(found) != 1:
        raise SessionNotFoundError(text, tuple(map(_id_of, found)))
    return found[0]


def summary_of(path: Path) -> SessionSummary | None:
    """What a list shows of the session in a file; ``None`` where it is none or cannot be read."""
    try:
        if not path.is_file():  # reading from a pipe would not end
            return None
        with path.open("rb") as file:
            first = file.read(_CHUNK)
            status = path.stat()
            file.seek(max(len(first), status.st_size - _CHUNK))
            last = file.read(_CHUNK)
        header, rest = split_header(first)
    except (OSError, NotARecordError):
        return None
    names = [*_names(rest), *_names(last)]
    return SessionSummary(
        file=path,
        id=header.id,
        cwd=header.cwd,
        name=names[-1] or None if names else None,
        first_prompt=_first_prompt(rest),
        created=header.timestamp,
        modified=datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="milliseconds"),
        size=status.st_size,
        parent_session=header.parent_session,
    )


def _id_of(path: Path) -> str:
    return path.stem.rpartition("_")[2]


def _names(chunk: bytes) -> Iterator[str]:
    """The names that a session was given in a piece of its file."""
    for line in chunk.split(b"\n"):
        if line.startswith(b'{"type":"session_info"'):
            name = _record(line).get("name")
            if isinstance(name, str):
                yield name


def _first_prompt(chunk: bytes) -> str:
    for line in chunk.split(b"\n"):
        if line.startswith(b'{"type":"message"'):
            found = _TEXT.search(line)
            return _string(found.group(1))[:_WORDS] if found else ""
    return ""


def _record(line: bytes) -> dict[str, Any]:
    try:
        value = decode(line)
    except ValueError:  # cut off by the end of the piece, or damaged
        return {}
    return value if isinstance(value, dict) else {}


def _string(body: bytes) -> str:
    """A JSON string's text, though a character at its end may have been cut."""
    for cut in range(12):
        try:
            value = decode(b'"' + body[: len(body) - cut] + b'"')
        except ValueError:
            continue
        return value if isinstance(value, str) else ""
    return ""
