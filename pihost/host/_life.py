"""What a host is made of at present: opened, replaced and closed in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pihost.config import HostConfig, HostOptions
from pihost.extensions.owned import end_task_around
from pihost.host._audience import Audience
from pihost.host._parts import Application, Controls, Parts, assemble
from pihost.host._startup import Startup, prepare
from pihost.paths import canonical
from pihost.session.errors import SessionClosedError

if TYPE_CHECKING:
    from pihost.session.agent_session import AgentSession
    from pihost.session.store import SessionStore

__all__ = ["ChangeReason", "Life"]

ChangeReason = Literal["reload", "new", "resume", "fork"]
"""Why the parts are replaced."""


class Life:
    """What was loaded and the live parts made of it, from the first to the last.

    Attributes:
        config: The host's names.
        startup: What was found, admitted and loaded last.
        parts: The live parts made of it.
        opened: How the first start was asked for, and where.

    Args:
        config: The host's names.
        application: What the program around the host brings.
        controls: What sessions can ask of the host.
        audience: Listens to each session before anything of an extension is bound.
    """

    startup: Startup
    parts: Parts
    opened: Startup

    def __init__(
        self, config: HostConfig, *, application: Application, controls: Controls, audience: Audience
    ) -> None:
        self.config = config
        self._application = application
        self._controls = controls
        self._audience = audience
        self._answers: dict[Path, bool] = {}  # on the trust of directories, as long as the host lives
        self._closed = False
        self._broken_off = False
        self._changing_lock = asyncio.Lock()

    @property
    def session(self) -> AgentSession:
        """The session under way."""
        return self.parts.session

    async def open(self, cwd: Path, options: HostOptions, *, ask: bool = True) -> None:
        """Make the first parts; the session is not started yet.

        Args:
            cwd: The directory to work in, absolute.
            options: How to start.
            ask: Whether extensions may answer ``project_trust``.

        Raises:
            ProviderConfigError: the application brings what is no provider.
            SessionError: the session that the options choose cannot be opened.
        """
        await self._make(cwd, options, None, ask=ask)
        self.opened = self.startup

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """Let nobody else change what is under way meanwhile.

        Raises:
            SessionClosedError: nothing is, or not any more.
        """
        async with self._changing_lock:
            if self._closed or self._broken_off:
                raise SessionClosedError
            yield

    async def replace(
        self, reason: ChangeReason, *, store: SessionStore, options: HostOptions, gone: str
    ) -> None:
        """End what is under way and make new parts around a session; to be called while ``changing``.

        After a failure nothing is under way any more.

        Args:
            reason: Why.
            store: The session to go on with, in its own directory.
            options: How to start.
            gone: What whoever still uses an API of the present extensions is told.
        """
        try:
            await self._replace(reason, store=store, options=options, gone=gone)
        finally:
            end_task_around()

    async def _replace(
        self, reason: ChangeReason, *, store: SessionStore, options: HostOptions, gone: str
    ) -> None:
        before, previous = self.session, self.session.file
        is_reload = reason == "reload"
        cwd = self.startup.cwd if is_reload else store.cwd
        try:
            await self._end(reason, None if is_reload else store.file)
            self.parts.runner.invalidate(gone)
            await self._make(cwd, options, store)
        except BaseException:
            self._broken_off = True
            store.close()  # the session that would go on with the file does not come
            raise
        if is_reload:
            self.session.take_over(before)
        await self.start(reason, None if is_reload else previous)

    async def start(self, reason: Literal["startup"] | ChangeReason, previous: Path | None = None) -> None:
        """Start the session and tell it what the start found.

        Args:
            reason: Why it starts.
            previous: The file of the session in whose place it comes.
        """
        trust, faults = self.startup.trust, self.session.faults
        if not trust.trusted and trust.guarded:
            from pihost.events import TrustRefusedEvent

            cwd = self.startup.cwd
            faults.record(
                TrustRefusedEvent(cwd=cwd, step=trust.step, reason=trust.reason, skipped=trust.guarded)
            )
        for error in self.startup.errors:
            faults.on_extension_error(error)
        await self.session.start(reason, previous_file=previous)
        resources, runner = self.parts.resources, self.parts.runner
        await resources.ask_extensions(runner, "reload" if reason == "reload" else "startup")
        self._audience.started()

    async def close(self) -> None:
        """End the session and everything the extensions have started. Closing twice changes nothing."""
        if not self._closed:
            self._closed = True
            async with self._changing_lock:  # the session that a change under way brings has to end as well
                await self._end("quit")

    async def _make(
        self, cwd: Path, options: HostOptions, store: SessionStore | None, *, ask: bool = True
    ) -> None:
        """Load the extensions and put the parts together; of a failure nothing is left."""
        project = canonical(cwd)
        startup = await prepare(
            cwd,
            config=self.config,
            options=options,
            ui=self._application.ui,
            ask=ask,
            answered=self._answers.get(project),
        )
        if startup.trust.session_only:
            self._answers[project] = startup.trust.trusted
        try:
            parts = assemble(
                startup,
                application=self._application,
                controls=self._controls,
                watch=self._audience.watch,
                store=store,
            )
        except BaseException:
            await startup.runtime.shutdown(reload=False)
            raise
        self.startup, self.parts = startup, parts

    async def _end(self, reason: Literal["quit"] | ChangeReason, target: Path | None = None) -> None:
        try:
            await self.session.shutdown(reason, target_file=target)
        finally:
            await self.parts.runner.shutdown(reload=reason == "reload")
