"""Hooks around leaving a session, forking it, and going on from another of its entries."""

from pihost.context import ExtensionContext
from pihost.events import (
    Cancel,
    SessionBeforeForkEvent,
    SessionBeforeSwitchEvent,
    SessionBeforeTreeEvent,
    SessionTreeEvent,
    TreeSummary,
)
from pihost.hooks._markers import hookspec

__all__ = ["session_before_fork", "session_before_switch", "session_before_tree", "session_tree"]


@hookspec("gate")
def session_before_switch(event: SessionBeforeSwitchEvent, ctx: ExtensionContext) -> Cancel | None:
    """Fires when another session is about to take the place of this one: a new one, or one that exists.

    Event:
        reason (str): ``"new"`` or ``"resume"``.
        target_session_file (Path | None): The file of the session that exists; ``None`` for a new one.

    Returns:
        ``Cancel(reason)`` to stay in this session, or ``None``.

    Answers:
        The first ``Cancel`` ends the dispatch: nothing happens, and the user is told the reason.

    On error:
        Reported; the handlers after it are called. One that runs out of time cancels.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import Cancel

        @hookimpl
        async def session_before_switch(event, ctx):
            if ctx.has_ui and not await ctx.ui.confirm("Leave", "Leave this session?"):
                return Cancel(reason="you stayed")
    """


@hookspec("gate")
def session_before_fork(event: SessionBeforeForkEvent, ctx: ExtensionContext) -> Cancel | None:
    """Fires when the branch up to an entry is about to become a session of its own.

    Event:
        entry_id (str): The entry.
        position (str): ``"at"`` where the new session ends with the entry, ``"before"`` where it ends before
            it.

    Returns:
        ``Cancel(reason)`` to stay in this session, or ``None``.

    Answers:
        The first ``Cancel`` ends the dispatch: nothing happens, and the user is told the reason.

    On error:
        Reported; the handlers after it are called. One that runs out of time cancels.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import Cancel

        @hookimpl
        def session_before_fork(event, ctx):
            if ctx.session.label(event.entry_id) == "secret":
                return Cancel(reason="nothing is forked from there")
    """


@hookspec("gate")
def session_before_tree(event: SessionBeforeTreeEvent, ctx: ExtensionContext) -> Cancel | TreeSummary | None:
    """Fires when the session is about to go on from another of its entries.

    Event:
        target_id (str): That entry.
        old_leaf_id (str | None): The entry it stands at now.
        entries_to_summarize (tuple[Entry, ...]): What is on the branch that is left and not on the one that
            is gone to, oldest first.
        signal (AbortSignal): Set when the user does not want to wait.

    Returns:
        ``Cancel(reason)`` to stay, ``TreeSummary(summary, details)`` to tell the model on the other branch
        what happened on this one, or ``None``.

    Answers:
        The first ``Cancel`` ends the dispatch. A summary does not: the last one is used.

    On error:
        Reported; the handlers after it are called. One that runs out of time cancels.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import TreeSummary

        @hookimpl
        def session_before_tree(event, ctx):
            if event.entries_to_summarize:
                count = len(event.entries_to_summarize)
                return TreeSummary(summary=f"Another attempt of {count} steps was given up.")
    """


@hookspec("notify")
def session_tree(event: SessionTreeEvent, ctx: ExtensionContext) -> None:
    """Fires when the session goes on from another of its entries.

    Event:
        new_leaf_id (str | None): The entry that the next one will follow.
        old_leaf_id (str | None): The entry it stood at before.
        from_extension (bool): Whether an extension gave a summary of the branch that was left.

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
        def session_tree(event, ctx):
            ctx.ui.notify(f"{len(ctx.session.branch())} entries on this branch")
    """
