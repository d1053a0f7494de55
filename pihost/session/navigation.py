"""Going on from another entry of a session: the hooks around it, the summary of what is left, the model."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.context import AbortSignal, SessionChange
from pihost.entries import Entry, MessageEntry
from pihost.messages import CustomMessage, UserMessage
from pihost.model import ThinkingLevel
from pihost.session._state import SessionState
from pihost.session._tree import ids_of
from pihost.session.restore import restored_model, stored_choices
from pihost.tools.calling.aborting import until_aborted

__all__ = ["navigate", "said_at"]

_KIND = "branch_summary"
_SUMMARY = "Another branch of this conversation was left. This is what it came to:\n\n{summary}"


async def navigate(state: SessionState, entry_id: str, signal: AbortSignal) -> SessionChange:
    """Let a session go on from another of its entries.

    Args:
        state: The session, with no run under way.
        entry_id: The entry.
        signal: Ends it; the session then stays where it is.

    Raises:
        EntryNotFoundError: there is no such entry.
    """
    from pihost.events import Cancel, SessionTreeEvent, TreeSummary

    store = state.parts.store
    path = store.path_to(entry_id)
    old_leaf = store.leaf_id
    text = said_at(path[-1])
    if entry_id == old_leaf:
        return SessionChange(text=text)
    answer = await _asked(state, entry_id, path, signal)
    if isinstance(answer, Cancel):
        return SessionChange(cancelled=True, reason=answer.reason)
    store.go_to(entry_id)
    if isinstance(answer, TreeSummary):
        content = _SUMMARY.format(summary=answer.summary)
        store.append_message(CustomMessage(kind=_KIND, content=content, details=answer.details))
    await _restore_choices(state)
    event = SessionTreeEvent(
        new_leaf_id=store.leaf_id, old_leaf_id=old_leaf, from_extension=isinstance(answer, TreeSummary)
    )
    await state.stream.emit(event)
    return SessionChange(text=text)


def said_at(entry: Entry) -> str | None:
    """What the user said there; ``None`` where it was not the user."""
    if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
        return entry.message.text
    return None


async def _asked(state: SessionState, entry_id: str, path: Sequence[Entry], signal: AbortSignal) -> object:
    """What the extensions say to it; ``None`` where nobody has a word."""
    if not state.stream.has_handlers("session_before_tree"):
        return None
    from pihost.events import Cancel, SessionBeforeTreeEvent

    kept = set(ids_of(path))
    event = SessionBeforeTreeEvent(
        target_id=entry_id,
        old_leaf_id=state.parts.store.leaf_id,
        entries_to_summarize=[entry for entry in state.parts.store.branch() if entry.id not in kept],
        signal=signal,
    )
    answer = await until_aborted(state.stream.emit(event), signal)
    return Cancel(reason="the user did not want to wait") if signal.aborted else answer


async def _restore_choices(state: SessionState) -> None:
    """Let the model answer that answered at that entry, thinking as long as it did there."""
    branch = state.parts.store.branch()
    previous, model = state.model, restored_model(branch, state.parts.models)
    if model is not None and model != previous:
        from pihost.events import ModelSelectEvent

        state.model = model
        await state.stream.emit(ModelSelectEvent(model=model, previous_model=previous, source="restore"))
    _model, chosen = stored_choices(branch)
    level: ThinkingLevel = chosen or "off"  # what a branch says nothing of was not chosen there
    if level != state.thinking_level:
        from pihost.events import ThinkingLevelSelectEvent

        before, state.thinking_level = state.thinking_level, level
        await state.stream.emit(ThinkingLevelSelectEvent(level=level, previous_level=before))
