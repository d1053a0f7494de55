"""The host: extensions bound to a live session, from ``open`` to ``close``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from pihost.config import HostConfig, HostOptions
from pihost.context import UI, SessionChange
from pihost.diagnostics import Diagnostic, ExtensionError, has_errors, in_startup_order
from pihost.events import Event
from pihost.host._audience import Audience
from pihost.host._changes import SessionChanges
from pihost.host._life import Life
from pihost.host._parts import Application, Controls
from pihost.host._replacement import found_from
from pihost.host._stores import recorded_directory
from pihost.host.errors import StartRefusedError

if TYPE_CHECKING:
    from pihost.content import ToolResult
    from pihost.entries import CompactionEntry
    from pihost.extensions import BoundExtension, Dropped, ExtensionRunner
    from pihost.extensions.infos import CommandInfo
    from pihost.host.listing import HostReport
    from pihost.model import Model
    from pihost.models import ModelRegistry, Provider
    from pihost.session import AgentSession
    from pihost.settings import Settings
    from pihost.trust import TrustDecision

__all__ = ["Host"]

_CONFIG = HostConfig()
_OPTIONS = HostOptions()


class Host:
    """Extensions around a session in one directory.

    Made by ``Host.open``. Everything on it belongs to the event loop that opened it. Two hosts may live in
    one process; they share nothing.
    """

    def __init__(self, config: HostConfig, application: Application) -> None:
        self._shutdown_requested = False
        self._audience = Audience()
        controls = Controls(shutdown=self._request_shutdown, sessions=self)
        self._life = Life(config, application=application, controls=controls, audience=self._audience)
        self._changes = SessionChanges(self._life)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        cwd: str | Path,
        *,
        config: HostConfig = _CONFIG,
        options: HostOptions = _OPTIONS,
        ui: UI | None = None,
        providers: Iterable[Provider] = (),
        before_start: Callable[[Host], None] | None = None,
    ) -> AsyncIterator[Host]:
        """Find, judge, load and bind the extensions of ``cwd``, start a session, and end both on leaving.

        Faults of extensions, settings and projects do not raise: they are ``diagnostics``, and what works is
        used. A project nobody has decided on is not trusted unless ``options`` say otherwise.

        Args:
            cwd: The directory to work in. A session that is gone on with works in its own instead.
            config: The host's names.
            options: How to start.
            ui: How to speak with the user; ``None`` where nobody is there.
            providers: Providers of the application's own; they stay through every reload.
            before_start: Called when all is bound and before the session starts. What it raises ends the
                start, with no session event fired.

        Yields:
            The host, with its session started.

        Raises:
            NotADirectoryError: ``cwd`` is not a directory.
            ProviderConfigError: one of ``providers`` is no provider.
            SessionError: the session that ``options`` choose cannot be opened.
        """
        directory = recorded_directory(options.session) or _directory(cwd)
        options = found_from(Path(cwd), options)
        host = cls(config, Application(ui=ui, providers=tuple(providers)))
        await host._life.open(directory, options)
        try:
            if before_start is not None:
                before_start(host)
            await host._life.start("startup")
            yield host
        finally:
            await host.close()

    @property
    def config(self) -> HostConfig:
        """The host's names."""
        return self._life.config

    @property
    def cwd(self) -> Path:
        """The directory it works in, absolute: that of the session under way."""
        return self._life.startup.cwd

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._life.startup.settings

    @property
    def trust(self) -> TrustDecision:
        """Whether the project's own resources take part, and why."""
        return self._life.startup.trust

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found wrong while starting, and with the session since, as a start orders it."""
        return in_startup_order(
            (
                *self._life.startup.diagnostics,
                *self._life.parts.diagnostics,
                *self._life.parts.resources.diagnostics,
                *self.session.store.warnings,
            )
        )

    @property
    def extensions(self) -> tuple[BoundExtension, ...]:
        """The bound extensions, in final order."""
        return self._life.parts.bound

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """What was discovered and not admitted, with the reasons."""
        return self._life.startup.admission.dropped

    @property
    def runner(self) -> ExtensionRunner:
        """What calls the hooks."""
        return self._life.parts.runner

    @property
    def session(self) -> AgentSession:
        """The session under way; another object after a reload or a change of sessions."""
        return self._life.parts.session

    @property
    def models(self) -> ModelRegistry:
        """The models there are."""
        return self._life.parts.models

    @property
    def offered_models(self) -> tuple[Model, ...]:
        """The models to choose from: those that the options name, else every model there is."""
        return self._life.parts.offered or self.models.models()

    @property
    def commands(self) -> tuple[CommandInfo, ...]:
        """Every command that a prompt can call: those of extensions, templates and skills, the host's own."""
        return tuple(self._life.parts.commands())

    @property
    def shutdown_requested(self) -> bool:
        """Whether an extension has asked the host to end once the run under way has settled."""
        return self._shutdown_requested

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        on_update: Callable[[ToolResult], None] | None = None,
        active_only: bool = False,
    ) -> ToolResult:
        """Run one tool through the real pipeline, hooks included. See ``AgentSession.call_tool``."""
        return await self.session.call_tool(name, arguments, on_update=on_update, active_only=active_only)

    def refuse_errors(self, more: Iterable[Diagnostic] = ()) -> None:
        """End a start that has error diagnostics, unless the settings say to go on with what loaded.

        Args:
            more: What was found wrong besides the host's own diagnostics.

        Raises:
            StartRefusedError: there are some.
        """
        found = (*self.diagnostics, *more)
        if self.settings.on_extension_error == "stop" and has_errors(found):
            raise StartRefusedError(found)

    def report(self) -> HostReport:
        """How every extension there is stands: how far it got, what it registers, what stopped it.

        With ``hook_timing`` set, the time its handlers have taken too, since the last reload.
        """
        from pihost.host.listing import HostReport, rows_of

        return HostReport(
            cwd=self.cwd,
            trust=self.trust,
            extensions=rows_of(self._life.startup, bound=[bound.extension.id for bound in self.extensions]),
            diagnostics=self.diagnostics,
            hook_timing=self.settings.hook_timing,
        )

    def on_error(self, listener: Callable[[ExtensionError], object]) -> Callable[[], None]:
        """Call ``listener`` for every failure of an extension from now on, reloads included.

        Returns:
            Takes the listener away again.
        """
        return self._audience.errors.add(listener)

    def subscribe(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Show ``listener`` every event of the session's stream, its end and reloads included.

        Until the session has started, a listener is first shown what came before it.

        Returns:
            Takes the listener away again.
        """
        return self._audience.subscribe(listener)

    def on_tools_changed(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call ``listener`` whenever there may be other tools, or other active ones; reloads included.

        Returns:
            Takes the listener away again.
        """
        return self._audience.tools.add(listener)

    def set_flags(self, values: Mapping[str, bool | str]) -> tuple[Diagnostic, ...]:
        """Give values to flags that extensions have registered; they hold after a reload too.

        Args:
            values: By flag name.

        Returns:
            An error for each that no extension registers, or that is of another type; the rest counts.
        """
        options = attrs.evolve(
            self._life.startup.options, flags={**self._life.startup.options.flags, **values}
        )
        self._life.startup = attrs.evolve(self._life.startup, options=options)
        return self.runner.set_flag_values(values)

    async def reload(self) -> tuple[Diagnostic, ...]:
        """Discover and load every extension anew and bind them to the same session.

        What was loaded before is told ``session_shutdown`` and is dead afterwards. The chain of trust runs
        again; ``--approve`` and an answer for this session only hold. So do the model, the tools chosen, and
        the messages that wait for the next prompt. A reload that is asked for during another follows it.

        Returns:
            What the new start found wrong; what loaded is used all the same.

        Raises:
            SessionClosedError: the host is closed, or a reload before this one was broken off.
        """
        await self._changes.reload()
        return self.diagnostics

    async def new_session(self) -> SessionChange:
        """Begin a new session in the place of this one, with the same model.

        The run under way is ended. Every extension is loaded anew and bound to the new session; what was
        loaded before is told ``session_shutdown`` and is dead afterwards.

        Returns:
            Whether it was done.

        Raises:
            SessionClosedError: the host is closed.
        """
        return await self._changes.new_session()

    async def fork(self, entry_id: str, position: Literal["before", "at"] = "at") -> SessionChange:
        """Go on in a new session with the branch up to an entry; this one stays as it is.

        Args:
            entry_id: The entry.
            position: Whether the new session ends with the entry or before it.

        Returns:
            Whether it was done; with the user's words where the entry holds some.

        Raises:
            EntryNotFoundError: there is no such entry.
            SessionClosedError: the host is closed.
            ValueError: there is no such position.
        """
        return await self._changes.fork(entry_id, position)

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with the session in a file: in its own directory, with the settings and extensions of that.

        Trust is resolved for that directory; an approval for this run alone does not carry over to another.

        Args:
            path: The file.

        Returns:
            Whether it was done.

        Raises:
            SessionError: the file cannot be opened as a session; everything stays as it is.
            SessionClosedError: the host is closed.
        """
        return await self._changes.switch_session(path)

    async def navigate_tree(self, entry_id: str) -> SessionChange:
        """Go on from another entry of this session. See ``AgentSession.navigate_tree``."""
        return await self.session.navigate_tree(entry_id)

    async def compact(self, instructions: str | None = None) -> CompactionEntry:
        """Let a summary take the place of what was said earlier. See ``AgentSession.compact``."""
        return await self.session.compact(instructions)

    async def close(self) -> None:
        """End the session and everything the extensions have started. Closing twice changes nothing."""
        await self._life.close()

    def _request_shutdown(self) -> None:
        self._shutdown_requested = True


def _directory(cwd: str | Path) -> Path:
    directory = Path(cwd).absolute()
    if not directory.is_dir():
        message = f"{directory} is not a directory; a host works in one that exists"
        raise NotADirectoryError(message)
    return directory
