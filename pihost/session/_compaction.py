"""Compacting a conversation: what is cut, who writes the summary, what is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pihost.context import AbortSignal
from pihost.entries import CompactionEntry
from pihost.events import (
    Cancel,
    Compaction,
    CompactionPreparation,
    SessionBeforeCompactEvent,
    SessionCompactEvent,
    SessionCompactFailedEvent,
)
from pihost.session._cut import is_cut, prepare_compaction
from pihost.session._state import SessionState
from pihost.session._summary import summarize
from pihost.session.errors import CompactionError
from pihost.tools.calling.aborting import until_aborted

if TYPE_CHECKING:
    from pihost.events import CompactionReason

__all__ = ["compact"]

_KEPT_TOKENS = 20_000
_KEPT_SHARE = 3
"""The kept tail takes at most a third of what a conversation may grow to before it is compacted."""
_NOTHING = "there is nothing to compact yet"
_ABORTED = "it was aborted"


async def compact(
    state: SessionState, *, reason: CompactionReason, signal: AbortSignal, instructions: str | None = None
) -> CompactionEntry:
    """Let a summary take the place of the older part of the conversation.

    Args:
        state: The session, with no request under way.
        reason: Why.
        signal: Ends it; the conversation then stays as it was.
        instructions: What the user said about the summary.

    Returns:
        What was stored.

    Raises:
        CompactionError: it was not compacted; ``session_compact_failed`` has told it.
    """
    try:
        entry = await _compacted(state, reason, signal, instructions)
    except asyncio.CancelledError:
        if not signal.aborted:
            raise
        fault = CompactionError(_ABORTED, aborted=True)
    except CompactionError as error:
        fault = error
    else:
        await state.stream.emit(
            SessionCompactEvent(entry=entry, reason=reason, from_extension=entry.from_extension)
        )
        return entry
    await state.stream.emit(
        SessionCompactFailedEvent(
            error_message=fault.reason,
            aborted=fault.aborted,
            reason=reason,
            from_extension=fault.from_extension,
        )
    )
    raise fault


async def _compacted(
    state: SessionState, reason: CompactionReason, signal: AbortSignal, instructions: str | None
) -> CompactionEntry:
    preparation = prepare_compaction(state.parts.store.branch(), _budget(state), force=reason != "threshold")
    if preparation is None:
        raise CompactionError(_NOTHING)
    proposal = await _proposal(state, preparation, reason, signal, instructions)
    if proposal is None:
        summary = await until_aborted(
            summarize(state, preparation.messages_to_summarize, instructions, signal), signal
        )
        if summary is None:
            raise CompactionError(_ABORTED, aborted=True)
        proposal = Compaction(summary=summary, first_kept_entry_id=preparation.first_kept_entry_id)
        return _stored(state, preparation, proposal, from_extension=False)
    return _stored(state, preparation, proposal, from_extension=True)


async def _proposal(
    state: SessionState,
    preparation: CompactionPreparation,
    reason: CompactionReason,
    signal: AbortSignal,
    instructions: str | None,
) -> Compaction | None:
    """What the extensions want instead, checked; ``None`` where nobody has a word."""
    if not state.stream.has_handlers("session_before_compact"):
        return None
    branch = state.parts.store.branch()
    event = SessionBeforeCompactEvent(
        preparation=preparation,
        branch_entries=branch,
        custom_instructions=instructions,
        reason=reason,
        signal=signal,
    )
    answer = await until_aborted(state.stream.emit(event), signal)
    if signal.aborted:
        raise CompactionError(_ABORTED, aborted=True)
    if isinstance(answer, Cancel):
        raise CompactionError(answer.reason or "an extension cancelled it", aborted=True, from_extension=True)
    if not isinstance(answer, Compaction):
        return None
    if not is_cut(branch, answer.first_kept_entry_id):
        raise CompactionError(
            f"an extension wants to keep what follows {answer.first_kept_entry_id!r}, which must be "
            "a message of the conversation, not the first, and not between a tool call and its result",
            from_extension=True,
        )
    return answer


def _stored(
    state: SessionState, preparation: CompactionPreparation, proposal: Compaction, *, from_extension: bool
) -> CompactionEntry:
    try:
        return state.parts.store.append(
            CompactionEntry,
            summary=proposal.summary,
            first_kept_entry_id=proposal.first_kept_entry_id,
            tokens_before=preparation.tokens_before,
            details=proposal.details,
            from_extension=from_extension,
        )
    except TypeError as fault:
        message = "the details of an extension's compaction have no JSON form"
        raise CompactionError(message, from_extension=True) from fault


def _budget(state: SessionState) -> int:
    window = 0 if state.model is None else state.model.context_window
    if not window:
        return _KEPT_TOKENS
    return min(_KEPT_TOKENS, int(window * state.parts.settings.compact_at) // _KEPT_SHARE)
