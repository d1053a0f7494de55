"""A session as text for people: an entry in a line, a tree of entries, a whole transcript."""

from __future__ import annotations

from collections.abc import Iterator

from pihost.entries import (
    CompactionEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
)
from pihost.jsonlines import encode
from pihost.messages import AssistantMessage, ToolResultMessage
from pihost.session._branches import BranchLine, branch_lines
from pihost.session.store import SessionStore

__all__ = ["describe_entry", "is_said", "speaker", "transcript", "tree_lines"]

_LINE_CHARACTERS = 60
_RESULT_LINES = 20
"""Lines of a tool's result that a transcript shows."""


def is_said(entry: Entry) -> bool:
    """Whether an entry is part of what was said, or stands for some of it."""
    return isinstance(entry, MessageEntry | CustomMessageEntry | CompactionEntry)


def speaker(entry: Entry) -> str:
    """Whose an entry is, or what it is."""
    if isinstance(entry, MessageEntry):
        return {"assistant": "agent", "tool_result": "tool"}.get(entry.message.role, entry.message.role)
    return entry.message.kind if isinstance(entry, CustomMessageEntry) else entry.type


def describe_entry(entry: Entry) -> str:
    """What an entry says, in a few words."""
    text = " ".join(_text(entry).split())
    return text if len(text) <= _LINE_CHARACTERS else f"{text[:_LINE_CHARACTERS]}…"


def tree_lines(store: SessionStore) -> Iterator[str]:
    """A session's tree: what was said in each of its branches, the active one first.

    Args:
        store: The session.
    """
    place = _place(store)
    for line in branch_lines(store):
        shown = [entry for entry in line.entries if is_said(entry)]
        if shown and not line.is_active:
            yield f"another branch, from {line.parent_id or 'the beginning'}:"
        for entry in shown:
            label = store.label(entry.id)
            here = "*" if entry.id == place else " "
            named = f" [{label}]" if label else ""
            yield f"{here} {entry.id}  {speaker(entry):9}  {describe_entry(entry)}{named}".rstrip()


def transcript(store: SessionStore) -> Iterator[str]:
    """A whole session, line by line: its head, what was said on the active branch, where others part.

    Args:
        store: The session.
    """
    yield from _head(store)
    lines = branch_lines(store)
    parting: dict[str | None, list[BranchLine]] = {}
    for line in lines[1:]:
        parting.setdefault(line.parent_id, []).append(line)
    for entry in lines[0].entries:
        yield from _shown(entry, store.label(entry.id))
        for other in parting.get(entry.id, ()):
            count = sum(map(is_said, other.entries))
            if count:
                yield f"── another branch of {count} messages parts here ──"
                yield ""


def _head(store: SessionStore) -> Iterator[str]:
    yield f"session  {store.id}"
    if store.name:
        yield f"name     {store.name}"
    yield f"began    {store.header.timestamp}"
    yield f"in       {store.header.cwd}"
    if store.header.parent_session:
        yield f"fork of  {store.header.parent_session}"
    yield ""


def _shown(entry: Entry, label: str | None) -> Iterator[str]:
    if not is_said(entry) and not isinstance(entry, ModelChangeEntry):
        return
    named = f" [{label}]" if label else ""
    yield f"── {speaker(entry)} · {entry.id}{named} ──"
    lines = _text(entry).splitlines()
    most = _RESULT_LINES if isinstance(entry, MessageEntry) and entry.message.role == "tool_result" else None
    yield from lines[:most]
    if most is not None and len(lines) > most:
        yield f"… {len(lines) - most} more lines"
    yield ""


def _text(entry: Entry) -> str:
    if isinstance(entry, MessageEntry):
        return _said(entry)
    if isinstance(entry, CustomMessageEntry):
        return entry.message.text
    if isinstance(entry, CompactionEntry):
        return entry.summary
    return f"{entry.provider}/{entry.model_id}" if isinstance(entry, ModelChangeEntry) else ""


def _said(entry: MessageEntry) -> str:
    message = entry.message
    if isinstance(message, AssistantMessage):
        calls = [f"→ {call.name} {encode(call.arguments).decode()}" for call in message.tool_calls]
        return "\n".join(part for part in (message.text, *calls, message.error_message) if part)
    if isinstance(message, ToolResultMessage) and message.is_error:
        return f"(failed) {message.text}"
    return message.text


def _place(store: SessionStore) -> str | None:
    """The last entry of the active branch that says something."""
    return next((entry.id for entry in reversed(store.branch()) if is_said(entry)), None)
