"""Leaving a session: the extensions are asked, and another takes its place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pihost.context import SessionChange
from pihost.events import Event

if TYPE_CHECKING:
    from pihost.host._life import ChangeReason, Life
    from pihost.session.agent_session import AgentSession
    from pihost.session.store import SessionStore

__all__ = ["SessionChanges"]

_USE = "use the api handed to setup() and the ctx handed to handlers since"
_RELOADED = f"the extensions were reloaded; {_USE}"
_REPLACED = f"another session has taken the place of this one; {_USE}"


class SessionChanges:
    """The ways from one session of a host to another. ``Host`` has the same methods and says what they do.

    Args:
        life: What is under way and can be replaced.
    """

    def __init__(self, life: Life) -> None:
        self._life = life

    async def reload(self) -> None:
        """Load every extension anew around the same session."""
        from pihost.host._replacement import options_for_reload

        async with self._life.changing():
            await self._life.replace(
                "reload",
                store=self._life.session.store,
                options=options_for_reload(self._life.startup),
                gone=_RELOADED,
            )

    async def new_session(self) -> SessionChange:
        """Begin a new session."""
        from pihost.events import SessionBeforeSwitchEvent
        from pihost.host._replacement import new_store

        async with self._life.changing():
            session = self._life.session
            refused = await _refused(session, SessionBeforeSwitchEvent(reason="new"))
            if refused is None:
                await self._replace("new", new_store(self._life.startup, session))
        return refused or SessionChange()

    async def fork(self, entry_id: str, position: Literal["before", "at"]) -> SessionChange:
        """Go on with a branch in a session of its own."""
        from pihost.events import SessionBeforeForkEvent
        from pihost.host._replacement import forked_store

        async with self._life.changing():
            session = self._life.session
            fork = forked_store(self._life.startup, session, entry_id, position)
            refused = await _refused(session, SessionBeforeForkEvent(entry_id=entry_id, position=position))
            if refused is None:
                await self._replace("fork", fork.store())
        return refused or SessionChange(text=fork.text)

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with a session that exists."""
        from pihost.events import SessionBeforeSwitchEvent
        from pihost.host._replacement import existing_store, same_file, session_file

        async with self._life.changing():
            session = self._life.session
            file = session_file(path)
            if session.file is not None and same_file(session.file, file):
                return SessionChange()
            store = existing_store(file, self._life.startup.cwd)
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

    async def _replace(self, reason: ChangeReason, store: SessionStore) -> None:
        from pihost.host._replacement import options_for

        life = self._life
        options = options_for(life.opened, life.startup, life.session, store)
        await life.replace(reason, store=store, options=options, gone=_REPLACED)


async def _refused(session: AgentSession, event: Event) -> SessionChange | None:
    """Ask the extensions before the session is left; what to answer where one does not want it."""
    stream = session.state.stream
    if not stream.has_handlers(event.hook_name):
        return None
    from pihost.events import Cancel

    answer = await stream.emit(event)
    return SessionChange(cancelled=True, reason=answer.reason) if isinstance(answer, Cancel) else None
