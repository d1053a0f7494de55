"""What all APIs of one load share: the hook table, the actions behind the APIs, and the end of it all."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pihost._version import __version__
from pihost.config import HostConfig
from pihost.diagnostics import ExtensionError
from pihost.errors import ExtensionNotReadyError
from pihost.events import Event
from pihost.extensions.actions import (
    ContextActions,
    ExtensionActions,
    ProviderActions,
    not_ready_actions,
    unbound_context,
)
from pihost.extensions.errors import RegistrationError
from pihost.extensions.event_bus import EventBus
from pihost.extensions.event_loop import others_turn, running_loop
from pihost.extensions.faults import error_of, passes_through
from pihost.extensions.listeners import Listeners
from pihost.extensions.mcp_servers import McpServers
from pihost.extensions.provider_queue import ProviderQueue
from pihost.extensions.registry import Kind, Registry
from pihost.hooks.marks import may_answer
from pihost.paths import make_private_dir
from pihost.tools.names import all_tool_names

if TYPE_CHECKING:
    import asyncio

    from pihost.extensions._private_modules import ModuleGroup
    from pihost.extensions.owned import Owned
    from pihost.extensions.registrations import RegisteredFlag, Registrations
    from pihost.hooks.observation import Observer
    from pihost.hooks.table import HookTable

__all__ = ["GRACE", "ConfigReader", "ExtensionRuntime", "create_extension_runtime"]

ConfigReader = Callable[[str, bool], Mapping[str, Any]]
"""An extension's own settings, by its id and whether it is the project's own."""

GRACE = 5.0
"""Seconds that a task or a closer of an extension gets to end."""

_MOST_ROUNDS = 8
"""How often what an extension has started while it was ended is ended in its turn."""

_NO_LOOP = "the host's event loop does not run"
_OTHER_THREAD = (
    "belongs to the thread of the event loop; from another thread, hand a function to api.call_soon(fn)"
)


class ExtensionRuntime:
    """The common ground of the extensions of one load. ``create_extension_runtime`` makes it.

    Attributes:
        events: The channels on which extensions speak with each other.
        registry: What they have registered.
        providers: Their registrations of providers.
        mcp_servers: The MCP servers they want.
        actions: What stands behind the APIs; every one raises until ``bind``.
        context: What stands behind the contexts; without a session until ``bind``.
        flag_values: What the command line gives for flags, by name.
        cwd: The session's directory.
        data_root: Where each extension has a directory of its own.
        version: The host's version.
        observer: Watches every call of a handler; ``None`` where nobody does.
        hook_timeout: Seconds that an async handler, and an async ``setup``, may take; ``None`` is no limit.
        bound: Whether the actions are real.
    """

    def __init__(
        self,
        *,
        hook_timeout: float | None,
        config_reader: ConfigReader,
        data_root: Path,
        version: str,
        builtin_tools: Collection[str],
        observer: Observer | None,
    ) -> None:
        self.hook_timeout = hook_timeout
        self.observer = observer
        self.events = EventBus(on_error=self._listener_failed, spawn=self._spawn_listener)
        self.registry = Registry(builtin_tools)
        self.providers = ProviderQueue()
        self.mcp_servers = McpServers(self.registry, self.report)
        self.actions = not_ready_actions()
        self.context = unbound_context()
        self.flag_values: dict[str, bool | str] = {}
        self.cwd = Path.cwd()
        self.read_config = config_reader
        self.data_root = data_root
        self.version = version
        self.bound = False
        self._replaced: str | None = None
        self._thread = threading.get_ident()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._owned: dict[str, Owned] = {}
        self._modules: dict[str, ModuleGroup] = {}
        self._answering_nothing: dict[str, object] = {}
        self._on_error: Listeners[[ExtensionError]] = Listeners()
        self._on_block: Listeners[[str, Event, str]] = Listeners()
        self._on_tools_changed: Listeners[[]] = Listeners()

    @cached_property
    def hooks(self) -> HookTable:
        """Who answers which hook. Made with the first use: all hooks and their events come with it.

        What was committed before answers nothing, but may be named like a hook that is declared later.
        """
        from pihost.hooks.table import HookTable

        table = HookTable(
            on_error=self.report,
            on_block=self._blocked,
            hook_timeout=self.hook_timeout,
            observer=self.observer,
        )
        for extension, plugin in self._answering_nothing.items():
            table.register(extension, plugin)
        table.set_order([record.extension for record in self.registry])
        return table

    @property
    def has_hooks(self) -> bool:
        """Whether there is a hook table yet; without it nobody answers any hook."""
        return "hooks" in vars(self)

    def hook_warnings(self, extension: str) -> tuple[str, ...]:
        """What the author of an extension should know of how it answers hooks."""
        return self.hooks.warnings(extension) if self.has_hooks else ()

    def enter(self, cwd: Path) -> None:
        """Belong to this thread and to the event loop that runs in it, if one does by now.

        Args:
            cwd: The session's directory.
        """
        self._loop = running_loop()
        self._thread = threading.get_ident()
        self.cwd = cwd

    async def in_loop(self) -> None:
        """Go on in an event loop; where none runs yet, ``run_to_end`` starts one."""
        if running_loop() is None:
            await others_turn()
            self.enter(self.cwd)

    def check(self, method: str, extension: str | None = None) -> None:
        """Make sure that an API or a context may be used here and now.

        Args:
            method: What is used.
            extension: Whose API it is.

        Raises:
            ExtensionNotReadyError: from another thread, or after the runtime was replaced.
        """
        if threading.get_ident() != self._thread:
            raise ExtensionNotReadyError(method, _OTHER_THREAD, extension)
        if self._replaced is not None:
            raise ExtensionNotReadyError(method, self._replaced, extension)

    def invalidate(self, message: str) -> None:
        """Make every API and context of this runtime raise.

        Args:
            message: What replaced it and what to use instead, as a sentence. The first one stays.
        """
        if self._replaced is None:
            self._replaced = message

    def bind(
        self, actions: ExtensionActions, context: ContextActions, providers: ProviderActions | None
    ) -> tuple[ExtensionError, ...]:
        """Put real actions and readers in place of the stubs, then carry out what waits for ``providers``.

        Returns:
            One error for each registration of a provider that failed.
        """
        self.actions = actions
        self.context = context
        self.bound = True
        errors = () if providers is None else self.providers.flush(providers)
        for error in errors:
            self.report(error)
        self.mcp_servers.run()
        return errors

    def commit(self, record: Registrations, plugin: object | None) -> tuple[str, ...]:
        """Put into effect what an extension has staged: its hooks, hook implementations, handlers, the rest.

        Args:
            record: What it registered.
            plugin: The module or instance with its hook implementations, if it has one.

        Returns:
            Names of the hooks that ``plugin`` implements.

        Raises:
            PihostError: something in it does not fit; whoever calls this then discards the extension.
        """
        extension = record.extension
        for module in record.hookspecs:
            self.hooks.add_hookspecs(extension, module)
        implemented = () if plugin is None else self._register_hooks(extension, plugin)
        for subscription in record.subscriptions:
            subscription.start(extension, self.hooks)
        self.use_mounter(record)
        self.registry.add(record)
        record.staged = False
        for error in self.providers.take_over(record.providers):
            self.report(error)
        for name in record.mcp_servers:
            self.mcp_servers.changed(name)
        return implemented

    def changed(self, kind: Kind, name: str) -> None:
        """See to what follows where a loaded extension registers something, or takes it back."""
        if kind == "tool":
            self.tools_changed()
        elif kind == "MCP server":
            self.mcp_servers.changed(name)

    def use_mounter(self, record: Registrations) -> None:
        """Let an extension run the MCP servers, if it wants to.

        Raises:
            RegistrationError: another one does already.
        """
        if record.mcp_mounter is None:
            return
        other = self.mcp_servers.extension
        if other not in {None, record.extension}:
            problem = f"is registered by {other!r} already"
            raise RegistrationError(record.extension, "what runs MCP servers", problem)
        self.mcp_servers.use(record.extension, record.mcp_mounter)

    async def discard(self, record: Registrations, failure: str) -> None:
        """Take back everything of an extension: what it registered, runs and imported. Its API is dead.

        Args:
            record: What it registered.
            failure: Why, as a sentence.
        """
        extension = record.extension
        record.failure = failure
        self.registry.remove(extension)
        self.mcp_servers.drop(extension)
        for name in record.mcp_servers:
            self.mcp_servers.changed(name)
        self._answering_nothing.pop(extension, None)
        if self.has_hooks:
            self.hooks.remove(extension)
        self.events.remove(extension)
        self.providers.drop(extension)
        await self._end(extension)
        self.forget_modules(extension)

    def owned(self, extension: str) -> Owned:
        """The tasks and closers of an extension."""
        from pihost.extensions.owned import Owned

        if extension not in self._owned:
            self._owned[extension] = Owned(extension, self.report)
        return self._owned[extension]

    def keep_modules(self, extension: str, modules: ModuleGroup) -> None:
        """Remember which modules came with an extension."""
        self._modules[extension] = modules

    def forget_modules(self, *extensions: str) -> None:
        """Take the modules of these extensions out of ``sys.modules``."""
        from pihost.extensions._private_modules import forget

        forget([self._modules.pop(extension) for extension in extensions if extension in self._modules])

    async def shutdown(self, *, reload: bool) -> None:
        """End what the extensions run, the last loaded first.

        Args:
            reload: Forget the modules of installed extensions too, so that they are read anew. Those of files
                are forgotten in any case: nobody else can know their names.
        """
        loaded = [record.extension for record in self.registry]
        others = [extension for extension in self._owned if extension not in loaded]
        await self._end(*reversed([*others, *loaded]))
        if self.has_hooks:
            self.hooks.close()
        if self._modules:
            self.forget_modules(*[key for key, modules in self._modules.items() if modules.private or reload])

    def call_soon(self, extension: str, function: Callable[[], Awaitable[object] | object]) -> None:
        """Call ``function`` on the event loop, from whatever thread.

        Raises:
            ExtensionNotReadyError: there is no event loop, or no longer.
        """
        if self._replaced is not None:
            raise ExtensionNotReadyError("call_soon", self._replaced, extension)
        if self._loop is None or self._loop.is_closed():
            raise ExtensionNotReadyError("call_soon", _NO_LOOP, extension)
        self._loop.call_soon_threadsafe(self._run, extension, function)

    def on_error(self, listener: Callable[[ExtensionError], object]) -> Callable[[], None]:
        """Tell ``listener`` of every failure of an extension; the returned function ends it."""
        return self._on_error.add(listener)

    def on_block(self, listener: Callable[[str, Event, str], object]) -> Callable[[], None]:
        """Tell ``listener`` of every refusal: the extension's id, the event, the reason."""
        return self._on_block.add(listener)

    def on_tools_changed(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Tell ``listener`` of other tools and of other active ones; the returned function ends it."""
        return self._on_tools_changed.add(listener)

    def tools_changed(self) -> None:
        """Tell the listeners that tools came, went, or were chosen."""
        self._on_tools_changed.tell()

    def report(self, error: ExtensionError) -> None:
        """Tell the listeners of a failure; where there is none, the log."""
        if self._on_error:
            self._on_error.tell(error)
        else:
            import logging

            log = logging.getLogger("pihost.extensions")
            log.error("Extension %s failed in %s: %s", error.extension, error.event, error.error)

    def flag_value(self, flag: RegisteredFlag) -> bool | str | None:
        """A flag's default; once bound, the command line's value if the flag is the one that counts."""
        if self.bound and self.registry.flags().get(flag.name) is flag:
            return self.flag_values.get(flag.name, flag.default)
        return flag.default

    def data_dir(self, extension: str) -> Path:
        """An extension's own directory, made with mode 0700 where it is not there yet.

        Raises:
            OSError: it cannot be made.
        """
        name = quote(extension, safe="@+ ")
        directory = self.data_root / (f"%2E{name[1:]}" if name.startswith(".") else name)
        make_private_dir(directory)
        return directory

    def _register_hooks(self, extension: str, plugin: object) -> tuple[str, ...]:
        if self.has_hooks or may_answer(plugin):
            return self.hooks.register(extension, plugin)
        self._answering_nothing[extension] = plugin
        return ()

    async def _end(self, *extensions: str) -> None:
        """End what they run, and what they start while they end; who does not stop starting is reported."""
        for _round in range(_MOST_ROUNDS):
            running = [extension for extension in extensions if extension in self._owned]
            for extension in running:
                await self.in_loop()
                await self._owned.pop(extension).close(GRACE)
            if not running:
                return
        for extension in extensions:
            if extension in self._owned:
                fault = "it goes on starting tasks and closers while it is ended"
                self.report(ExtensionError(extension=extension, event="on_close", error=fault))

    def _run(self, extension: str, function: Callable[[], Awaitable[object] | object]) -> None:
        if self._replaced is not None:
            return
        try:
            answer = function()
        except BaseException as fault:
            if passes_through(fault):
                raise
            self.report(error_of(extension, "call_soon", fault))
        else:
            if inspect.isawaitable(answer):
                _ = self.owned(extension).start(answer, "call_soon")  # watched by its owner

    def _blocked(self, extension: str, event: Event, reason: str) -> None:
        self._on_block.tell(extension, event, reason)

    def _listener_failed(self, extension: str, channel: str, fault: BaseException) -> None:
        self.report(error_of(extension, f"events:{channel}", fault))

    def _spawn_listener(self, extension: str, channel: str, answer: Awaitable[object]) -> None:
        if running_loop() is None:
            if inspect.iscoroutine(answer):
                answer.close()  # it will never run, and must not be warned about besides
            raise ExtensionNotReadyError("events.emit", _NO_LOOP, extension)
        _ = self.owned(extension).start(answer, f"events:{channel}")  # watched by its owner


def _no_config(_extension: str, _local: bool) -> Mapping[str, Any]:  # noqa: FBT001 -- the reader's signature
    return {}


def create_extension_runtime(
    *,
    hook_timeout: float | None = 60.0,
    config_reader: ConfigReader = _no_config,
    data_root: Path | None = None,
    version: str = __version__,
    builtin_tools: Collection[str] = all_tool_names,
    observer: Observer | None = None,
) -> ExtensionRuntime:
    """A runtime in which nothing is loaded and every action raises ``ExtensionNotReadyError``.

    Args:
        hook_timeout: Seconds an async handler may take; ``None`` is no limit.
        config_reader: Reads an extension's own settings; without one, none has any.
        data_root: Where each extension has a directory of its own; ``None`` is ``data`` in the user's global
            directory.
        version: The host's version, as extensions see it.
        builtin_tools: Names that only ``override=True`` takes.
        observer: Watches every call of a handler; ``None`` where nobody does.
    """
    return ExtensionRuntime(
        hook_timeout=hook_timeout,
        config_reader=config_reader,
        data_root=HostConfig().resolve_home() / "data" if data_root is None else data_root,
        version=version,
        builtin_tools=builtin_tools,
        observer=observer,
    )
