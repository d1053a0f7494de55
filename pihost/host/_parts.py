"""The live parts around a session: runner, tools, models, store, and their binding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.context import UI, NoticesOnly, NoUI
from pihost.diagnostics import Diagnostic, DiagnosticKind, DiagnosticLevel, ExtensionError
from pihost.events import Event
from pihost.extensions.runner import ExtensionRunner
from pihost.host._providers import failed_registration, new_registry, provider_actions, register_configured
from pihost.host._resources import SessionResources, project_directory
from pihost.host._startup import Startup
from pihost.host._stores import open_store, sessions_directory
from pihost.model import Model, ThinkingLevel
from pihost.models.errors import ModelNotFoundError
from pihost.models.registry import ModelRegistry
from pihost.near import near_hint
from pihost.session.agent_session import AgentSession
from pihost.session.binding import Surroundings, context_actions, extension_actions
from pihost.session.parts import SessionParts
from pihost.session.recipe import RECIPE_MODEL
from pihost.session.restore import restored_model, stored_choices
from pihost.session.store import SessionStore
from pihost.tools.definition import ToolDefinition
from pihost.tools.registry import ToolSettings, create_all_tool_definitions
from pihost.tools.writing.lock_dir import default_lock_dir, prepare_lock_dir

if TYPE_CHECKING:
    from pihost.extensions.bound import BoundExtension
    from pihost.extensions.infos import CommandInfo
    from pihost.host._session_commands import SessionDesk
    from pihost.models.protocol import Provider
    from pihost.session.commands import SessionControls

__all__ = ["Application", "Controls", "Parts", "Watch", "assemble"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Parts:
    """What lives as long as a session.

    Attributes:
        runner: What calls the hooks.
        models: The models there are.
        session: The session.
        offered: The models that the options name; empty where they name none.
        bound: The extensions, bound.
        resources: What the model can be given to read.
        commands: Tells every command that a prompt can call.
        diagnostics: What went wrong while these were put together.
    """

    runner: ExtensionRunner
    models: ModelRegistry
    session: AgentSession
    offered: tuple[Model, ...]
    bound: tuple[BoundExtension, ...]
    resources: SessionResources
    commands: Callable[[], list[CommandInfo]]
    diagnostics: tuple[Diagnostic, ...]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Application:
    """What the program that opened the host brings; it stays through every reload.

    Attributes:
        ui: How to speak with the user; ``None`` where nobody is there.
        providers: Providers of its own, which settings and extensions may cover.
    """

    ui: UI | None = None
    providers: tuple[Provider, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Controls:
    """What a session can ask of its host.

    Attributes:
        shutdown: End once the run under way has settled.
        sessions: What commands may do: begin, fork, switch, reload.
    """

    shutdown: Callable[[], None]
    sessions: SessionControls


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Watch:
    """Whoever follows a session from outside.

    Attributes:
        error: Told of every failure of an extension.
        event: Told of every event of the session's stream.
        tools: Told when there may be other tools, or other active ones.
    """

    error: Callable[[ExtensionError], object]
    event: Callable[[Event], None]
    tools: Callable[[], object]


def assemble(
    startup: Startup,
    *,
    application: Application,
    controls: Controls,
    watch: Watch,
    store: SessionStore | None = None,
) -> Parts:
    """Put a session together and bind the loaded extensions to it.

    Args:
        startup: What was found, admitted and loaded.
        application: What the program around the host brings.
        controls: What the session can ask of the host.
        watch: Listens before anything of an extension is bound.
        store: The session to go on with; ``None`` opens the one that the options choose.

    Raises:
        ProviderConfigError: the application brings what is no provider.
        SessionError: the session that was asked for cannot be opened.
    """
    store = store or open_store(startup)
    try:
        return _Assembly(startup, application, controls, store).assemble(watch)
    except BaseException:
        store.close()
        raise


class _Assembly:
    """The steps from what a start has loaded to a session that is bound to it."""

    def __init__(
        self, startup: Startup, application: Application, controls: Controls, store: SessionStore
    ) -> None:
        self._startup = startup
        self._ui = application.ui
        self._has_ui = self._ui is not None and not isinstance(self._ui, NoticesOnly)
        self._controls = controls
        self._store = store
        self._resources = SessionResources(startup)
        self._runner = ExtensionRunner(startup.extensions, startup.runtime, cwd=startup.cwd)
        self._models = new_registry(startup.config.app_name, application.providers)
        self._faults: list[Diagnostic] = []
        self._builtin = create_all_tool_definitions(startup.cwd, settings=self._tool_settings())

    def assemble(self, watch: Watch) -> Parts:
        session = self._session = AgentSession(self._session_parts())
        self._runner.on_error(session.faults.on_extension_error)
        self._runner.on_error(watch.error)
        session.subscribe(watch.event)
        self._startup.runtime.on_tools_changed(watch.tools)
        self._runner.on_block(session.faults.on_block)
        surroundings = self._surroundings()
        bound = self._runner.bind_core(
            extension_actions(session, surroundings),
            context_actions(session, surroundings),
            provider_actions(self._models),
        )
        self._faults += register_configured(self._models, self._startup.settings)
        self._offered = self._offered_models()
        session.choose(self._model(), self._thinking_level())
        flag_faults = self._runner.set_flag_values(self._startup.options.flags)
        self._faults += [*self._runner.conflicts(), *flag_faults]
        self._faults += self._unknown_tools()
        self._faults += self._hidden_commands()
        self._faults += [failed_registration(error, self._startup.config.app_name) for error in bound.errors]
        return Parts(
            runner=self._runner,
            models=self._models,
            session=session,
            offered=self._offered,
            bound=bound.extensions,
            resources=self._resources,
            commands=self._command_infos,
            diagnostics=tuple(self._faults),
        )

    def _session_parts(self) -> SessionParts:
        startup = self._startup
        options = startup.options
        excluded = (*startup.settings.exclude_tools, *options.exclude_tools)
        settings = attrs.evolve(startup.settings, exclude_tools=excluded)
        if options.tools is not None:
            settings = attrs.evolve(settings, tools=options.tools)
        return SessionParts(
            cwd=startup.cwd,
            store=self._store,
            models=self._models,
            hooks=self._runner,
            context=self._runner.create_context,
            tools=self._tools,
            settings=settings,
            source="print" if options.mode == "json" else options.mode,
            expand=self._expand,
            resources=lambda: self._resources.current,
            tools_changed=startup.runtime.tools_changed,
            env_prefix=startup.config.env_prefix,
            system_prompt=options.system_prompt,
            append_system_prompt=options.append_system_prompt,
        )

    async def _expand(self, text: str) -> str | None:
        """Run a text that is a command, fill in one that names a template or a skill.

        Any other text stays as it is.
        """
        if not text.startswith("/"):
            return text
        from pihost.host._session_commands import SESSION_COMMANDS, run_session_command
        from pihost.session.commands import SessionCommandContext, parse_command, run_command

        parsed = parse_command(text)
        if parsed is None:
            return text
        if parsed[0] in SESSION_COMMANDS:
            self._session.state.stream.publish(await run_session_command(*parsed, self._desk()))
            return None
        command = self._runner.commands().get(parsed[0])
        if command is None:
            filled = self._resources.expand(*parsed)
            return text if filled is None else filled
        context = SessionCommandContext(
            self._runner.create_context(),
            wait_for_idle=self._session.wait_for_idle,
            controls=self._controls.sessions,
        )
        await run_command(command, parsed[1], context, self._startup.runtime.report)
        return None

    def _desk(self) -> SessionDesk:
        from pihost.host._session_commands import SessionDesk

        return SessionDesk(
            session=self._session,
            controls=self._controls.sessions,
            directory=sessions_directory(self._startup),
            ui=self._runner.create_context().ui if self._has_ui else None,
            listing=self._listing,
        )

    def _listing(self) -> Iterator[str]:
        from pihost.host.listing import listing, rows_of

        bound = [extension.id for extension in self._startup.extensions]
        return listing(rows_of(self._startup, bound=bound), home=self._startup.home)

    def _tools(self) -> Mapping[str, ToolDefinition]:
        """The built-in tools, and those of extensions over and beside them."""
        return {**self._builtin, **{name: tool.definition for name, tool in self._runner.tools().items()}}

    def _tool_settings(self) -> ToolSettings:
        settings = self._startup.settings
        lock_dir = None
        if settings.file_locks:
            lock_dir = default_lock_dir(os.environ)
            fault = prepare_lock_dir(lock_dir)
            if fault is not None:
                lock_dir = None
                message = f"{fault}; edits by other processes at the same time are not kept apart"
                self._faults.append(Diagnostic(level="warning", message=message, kind="settings"))
        return ToolSettings(
            lock_dir=lock_dir, shell=settings.shell, output_fallback_dir=self._startup.home / "output"
        )

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            ui=self._ui or NoUI(),
            mode=self._startup.options.mode,
            has_ui=self._has_ui,
            is_project_trusted=self._startup.trust.trusted,
            shutdown=self._controls.shutdown,
            commands=self._command_infos,
            config_dirs=self._config_dirs(),
            tool_extension=self._tool_extension,
        )

    def _config_dirs(self) -> tuple[Path, ...]:
        project = project_directory(self._startup)
        return (self._startup.home,) if project is None else (self._startup.home, project)

    def _command_infos(self) -> list[CommandInfo]:
        from pihost.extensions.infos import CommandInfo
        from pihost.host._session_commands import SESSION_COMMANDS

        infos = {info.name: info for info in self._resources.commands()}
        for name, command in self._runner.commands().items():
            infos[name] = CommandInfo(name=name, description=command.description, extension=command.extension)
        for name, description in SESSION_COMMANDS.items():  # nothing takes the place of these
            infos[name] = CommandInfo(name=name, description=description, extension=None)
        return list(infos.values())

    def _tool_extension(self, name: str) -> str | None:
        tool = self._runner.tools().get(name)
        return None if tool is None else tool.extension

    def _hidden_commands(self) -> Iterator[Diagnostic]:
        """A warning for each command of an extension that has the name of one of the host's own."""
        commands = self._runner.commands()
        if not commands:
            return
        from pihost.host._session_commands import SESSION_COMMANDS

        for name in sorted(commands.keys() & SESSION_COMMANDS):
            extension = commands[name].extension
            yield Diagnostic(
                level="warning",
                message=f"Extension {extension!r} registers the command /{name}, one of the host's own",
                kind="conflict",
                source=extension,
                hint=f"Call it as /{extension}:{name}.",
            )

    def _unknown_tools(self) -> Iterator[Diagnostic]:
        """A warning for each name that no tool has now; an extension may yet bring it."""
        options, settings = self._startup.options, self._startup.settings
        known = self._tools()
        named: tuple[tuple[DiagnosticKind, Iterable[str]], ...] = (
            ("option", (*(options.tools or ()), *options.exclude_tools)),
            ("settings", (*(settings.tools or ()), *settings.exclude_tools)),
        )
        for kind, names in named:
            for name in names:
                if name not in known:
                    hint = near_hint(name, known)
                    message = f"There is no tool {name!r}"
                    yield Diagnostic(level="warning", message=message, kind=kind, source=name, hint=hint)

    def _model(self) -> Model:
        """The model to start with: the one asked for, the session's own, the default, the recipe model."""
        wanted = self._startup.options.model
        if wanted is not None:
            return self._found(wanted, "option", "error")
        restored = restored_model(self._store.branch(), self._models)
        return self._new_model() if restored is None else restored

    def _new_model(self) -> Model:
        """The model of a session that has none of its own; where its own is gone, that is told."""
        default = self._startup.settings.default_model
        if self._offered:
            model = self._offered[0]
        else:
            model = RECIPE_MODEL if default is None else self._found(default, "settings", "warning")
        gone, _level = stored_choices(self._store.branch())
        if gone is not None:
            message = f"The session's model {'/'.join(gone)!r} is not there; it goes on with {model.ref!r}"
            self._faults.append(
                Diagnostic(level="warning", message=message, kind="session", source="/".join(gone))
            )
        return model

    def _offered_models(self) -> tuple[Model, ...]:
        """The models that the options name, in their order; none where they name none."""
        wanted = self._startup.options.models
        if wanted is None:
            return ()
        found: dict[str, Model] = {}
        for pattern in wanted:
            try:
                found.update((model.ref, model) for model in self._models.matching(pattern))
            except ModelNotFoundError as fault:
                self._faults.append(
                    Diagnostic(level="error", message=str(fault), kind="option", hint=fault.hint)
                )
        return tuple(found.values())

    def _found(self, pattern: str, kind: DiagnosticKind, level: DiagnosticLevel) -> Model:
        try:
            return self._models.find(pattern)
        except ModelNotFoundError as fault:
            self._faults.append(Diagnostic(level=level, message=str(fault), kind=kind, hint=fault.hint))
            return RECIPE_MODEL

    def _thinking_level(self) -> ThinkingLevel:
        _model, stored = stored_choices(self._store.branch())
        return self._startup.options.thinking or stored or self._startup.settings.default_thinking or "off"
