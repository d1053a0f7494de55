"""Hooks around compaction: a summary takes the place of the older part of a conversation."""

from pihost.context import ExtensionContext
from pihost.events import (
    Cancel,
    Compaction,
    SessionBeforeCompactEvent,
    SessionCompactEvent,
    SessionCompactFailedEvent,
)
from pihost.hooks._markers import hookspec

__all__ = ["session_before_compact", "session_compact", "session_compact_failed"]


@hookspec("gate")
def session_before_compact(
    event: SessionBeforeCompactEvent, ctx: ExtensionContext
) -> Cancel | Compaction | None:
    """Fires when the conversation is about to be compacted, before the model is asked for a summary.

    Event:
        preparation (CompactionPreparation): What would be done: ``messages_to_summarize``, ``kept_messages``,
            ``first_kept_entry_id``, ``tokens_before``.
        branch_entries (tuple[Entry, ...]): The entries of the active branch, oldest first.
        custom_instructions (str | None): What the user said about the summary.
        reason (str): ``"manual"``, ``"threshold"`` where the context is nearly full, or ``"overflow"`` where
            a provider said that it is too long.
        signal (AbortSignal): Set when the user wants it to end.

    Returns:
        ``Cancel(reason)`` to leave the conversation as it is, ``Compaction(summary, first_kept_entry_id,
        details)`` to use instead of the model's summary, or ``None``.

    Answers:
        The first ``Cancel`` ends the dispatch. A ``Compaction`` does not: the last one is used, and a later
        ``Cancel`` still cancels.

    On error:
        Reported; the handlers after it are called. One that runs out of time cancels.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import Compaction

        @hookimpl
        def session_before_compact(event, ctx):
            asked = [m.text for m in event.preparation.messages_to_summarize if m.role == "user"]
            return Compaction(
                summary="The user asked: " + "; ".join(asked),
                first_kept_entry_id=event.preparation.first_kept_entry_id,
            )
    """


@hookspec("notify")
def session_compact(event: SessionCompactEvent, ctx: ExtensionContext) -> None:
    """Fires when the conversation was compacted; the next request carries the summary.

    Event:
        entry (CompactionEntry): What was stored.
        reason (str): ``"manual"``, ``"threshold"`` or ``"overflow"``.
        from_extension (bool): Whether an extension wrote the summary.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def session_compact(event, ctx):
            ctx.ui.notify(f"compacted from {event.entry.tokens_before} tokens")
    """


@hookspec("notify")
def session_compact_failed(event: SessionCompactFailedEvent, ctx: ExtensionContext) -> None:
    """Fires when the conversation could not be compacted, or was not to be. It stays as it was.

    Event:
        error_message (str): Why.
        aborted (bool): Whether the user or an extension did not want it.
        reason (str): ``"manual"``, ``"threshold"`` or ``"overflow"``.
        from_extension (bool): Whether an extension cancelled it, or what it gave could not be used.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def session_compact_failed(event, ctx):
            if not event.aborted:
                ctx.ui.notify(f"not compacted: {event.error_message}", "warning")
    """
