"""Leaving a session: the extensions are asked, and another takes its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pihost.context import SessionChange
from pihost.events import Event

if TYPE_CHECKING:
    from pihost.host._startup import Startup
    from pihost.session.agent_session import AgentSession
    from pihost.session.store import SessionStore

__all__ = ["ChangeReason", "SessionChanges"]

ChangeReason = Literal["new", "resume", "fork"]
"""Why another session takes the place of one."""
Changing = Callable[[], AbstractAsyncContextManager["tuple[Startup, AgentSession]"]]
Replace = Callable[[ChangeReason, "SessionStore"], Awaitable[None]]


class SessionChanges:
    """The ways from one session of a host to another. ``Host`` has the same methods and says what they do.

    Args:
        changing: Gives what is under way while nobody else changes it.
        replace: Lets a session take the place of the one under way.
    """

    def __init__(self, changing: Changing, replace: Replace) -> None:
        self._changing = changing
        self._replace = replace

    async def new_session(self) -> SessionChange:
        """Begin a new session."""
        from pihost.events import SessionBeforeSwitchEvent
        from pihost.host._replacement import new_store

        async with self._changing() as (startup, session):
            refused = await _refused(session, SessionBeforeSwitchEvent(reason="new"))
            if refused is None:
                await self._replace("new", new_store(startup, session))
        return refused or SessionChange()

    async def fork(self, entry_id: str, position: Literal["before", "at"]) -> SessionChange:
        """Go on with a branch in a session of its own."""
        from pihost.events import SessionBeforeForkEvent
        from pihost.host._replacement import forked_store

        async with self._changing() as (startup, session):
            fork = forked_store(startup, session, entry_id, position)
            refused = await _refused(session, SessionBeforeForkEvent(entry_id=entry_id, position=position))
            if refused is None:
                await self._replace("fork", fork.store())
        return refused or SessionChange(text=fork.text)

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with a session that exists."""
        from pihost.events import SessionBeforeSwitchEvent
        from pihost.host._replacement import existing_store, same_file, session_file

        async with self._changing() as (startup, session):
            file = session_file(path)
            if session.file is not None and same_file(session.file, file):
                return SessionChange()
            store = existing_store(file, startup.cwd)
            event = SessionBeforeSwitchEvent(reason="resume", target_session_file=file)
            try:
                refused = await _refused(session, event)
            except BaseException:
                store.close()
                raise
            if refused is None:
                await self._replace("resume", store)
            else:
                store.close()
        return refused or SessionChange()


async def _refused(session: AgentSession, event: Event) -> SessionChange | None:
    """Ask the extensions before the session is left; what to answer where one does not want it."""
    stream = session.state.stream
    if not stream.has_handlers(event.hook_name):
        return None
    from pihost.events import Cancel

    answer = await stream.emit(event)
    return SessionChange(cancelled=True, reason=answer.reason) if isinstance(answer, Cancel) else None
