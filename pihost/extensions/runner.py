"""Runs loaded extensions: binds them to a session, takes events to them, knows what they registered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pihost.context import ExtensionContext, ModelCatalog, SessionReader, TrustContext
from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.events import Event
from pihost.extensions.actions import (
    ContextActions,
    ExtensionActions,
    ProviderActions,
    unbound_context,
)
from pihost.extensions.bound import BindResult, BoundExtension
from pihost.extensions.context import RuntimeContext
from pihost.extensions.guards import overridden_guard
from pihost.extensions.runtime import ExtensionRuntime
from pihost.model import Model
from pihost.near import near_names

if TYPE_CHECKING:
    from pihost.events import McpServerInfo, ProjectTrustEvent, ProjectTrustResult
    from pihost.extensions.records import Extension
    from pihost.extensions.registrations import RegisteredCommand, RegisteredFlag, RegisteredTool

__all__ = ["ExtensionRunner", "emit_project_trust"]


class ExtensionRunner:
    """The extensions of one runtime, in their final order. A ``Dispatcher``.

    Unbound, it can run without a session: nothing is blocked, the project counts as trusted, no model is
    chosen. What really decides about trust is ``resolve_project_trusted``.

    Args:
        extensions: What was loaded into ``runtime``: local, global, configured, installed.
        runtime: What they share.
        cwd: The session's directory.
        session_manager: The session to show until ``bind_core``.
        model_registry: The models to show until ``bind_core``.
    """

    def __init__(
        self,
        extensions: Iterable[Extension],
        runtime: ExtensionRuntime,
        *,
        cwd: Path,
        session_manager: SessionReader | None = None,
        model_registry: ModelCatalog | None = None,
    ) -> None:
        self._extensions = tuple(extensions)
        self._runtime = runtime
        self._context = RuntimeContext(runtime, cwd, self.emit)
        if not runtime.bound:
            runtime.context = unbound_context(session_manager, model_registry)
        order = [extension.id for extension in self._extensions]
        runtime.registry.set_order(order)
        if runtime.has_hooks:
            runtime.hooks.set_order(order)

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """The extensions, in their final order."""
        return self._extensions

    @property
    def runtime(self) -> ExtensionRuntime:
        """What they share."""
        return self._runtime

    def bind_core(
        self,
        actions: ExtensionActions,
        context: ContextActions,
        providers: ProviderActions | None = None,
    ) -> BindResult:
        """Make the actions of every API real, then carry out the registrations of providers that wait.

        First all wire APIs, then all configured providers, all native ones, all virtual models, which may
        route to the others; each in order of registration. From then on registrations act at once. This
        isolates nothing: extensions run in this process, with the user's rights.

        Args:
            actions: What the APIs do.
            context: What the contexts show.
            providers: Where providers are registered; ``None`` lets the registrations wait on.

        Returns:
            The bound extensions, and one error for each registration that failed.
        """
        errors = self._runtime.bind(actions, context, providers)
        bound = tuple(BoundExtension(extension=extension) for extension in self._extensions)
        return BindResult(extensions=bound, errors=errors)

    def emit(self, event: Event) -> Coroutine[Any, Any, object]:
        """Take an event to every handler that answers it.

        Returns:
            To be awaited: what the answers come to, by the event's kind.
        """
        return self._runtime.hooks.emit(event, self._context)

    def has_handlers(self, name: str) -> bool:
        """Whether any handler answers the hook ``name``."""
        return self._runtime.has_hooks and self._runtime.hooks.has_handlers(name)

    def create_context(self) -> ExtensionContext:
        """The context that handlers get. It is one object, and always shows what is the case now."""
        return self._context

    def on_error(self, listener: Callable[[ExtensionError], object]) -> Callable[[], None]:
        """Tell ``listener`` of every failure of an extension; the returned function ends it."""
        return self._runtime.on_error(listener)

    def on_block(self, listener: Callable[[str, Event, str], object]) -> Callable[[], None]:
        """Tell ``listener`` of every refusal: the extension's id, the event, the reason."""
        return self._runtime.on_block(listener)

    def invalidate(self, message: str) -> None:
        """Make every API and context raise.

        Args:
            message: What replaced them and what to use instead, as a sentence.
        """
        self._runtime.invalidate(message)

    def is_project_trusted(self) -> bool:
        """Whether the project's own resources take part; ``True`` while unbound."""
        return self._runtime.context.is_project_trusted()

    def get_model(self) -> Model | None:
        """The model that answers now; ``None`` while unbound."""
        return self._runtime.context.get_model()

    def tools(self) -> Mapping[str, RegisteredTool]:
        """The tools that count, by name."""
        return self._runtime.registry.tools()

    def commands(self) -> Mapping[str, RegisteredCommand]:
        """The commands that count, by name, and every command as ``<extension id>:<name>``."""
        return self._runtime.registry.commands()

    def flags(self) -> Mapping[str, RegisteredFlag]:
        """The flags that count, by name."""
        return self._runtime.registry.flags()

    async def mcp_servers(self, *, within: float = 0.0) -> list[McpServerInfo]:
        """The MCP servers there are and how each stands.

        Args:
            within: Seconds to wait at most until none of them is starting any more.
        """
        await self._runtime.mcp_servers.settled(within)
        return self._runtime.mcp_servers.listed()

    def set_flag_values(self, values: Mapping[str, bool | str]) -> tuple[Diagnostic, ...]:
        """Take over what the command line says. ``api.get_flag`` gives it once bound.

        Args:
            values: By flag name.

        Returns:
            An error for each that no extension registers, or that is of another type; the rest counts.
        """
        flags = self.flags()
        faults: list[Diagnostic] = []
        for name, value in values.items():
            fault = _flag_fault(name, value, flags)
            if fault is None:
                self._runtime.flag_values[name] = value
            else:
                faults.append(fault)
        return tuple(faults)

    def conflicts(self) -> tuple[Diagnostic, ...]:
        """One diagnostic for each registration that does not count, naming it and the one that does."""
        return tuple(
            overridden_guard(one, self._runtime.hooks.handlers(one.source or ""))
            for one in self._runtime.registry.conflicts()
        )

    async def shutdown(self, *, reload: bool = False) -> None:
        """Cancel the tasks of the extensions and run what they gave to ``api.on_close``.

        Whoever does not end within five seconds is reported. The APIs stay usable until ``invalidate``.

        Args:
            reload: The extensions are to be loaded anew: their modules are forgotten, so that changed code is
                read.
        """
        await self._runtime.shutdown(reload=reload)


def _flag_fault(
    name: str,
    value: bool | str,  # noqa: FBT001 -- a flag's value is what this is about
    flags: Mapping[str, RegisteredFlag],
) -> Diagnostic | None:
    flag = flags.get(name)
    if flag is None:
        near = near_names(name, flags, most=1)
        hint = f"Did you mean --{near[0]}?" if near else None
        message = f"No extension registers the flag --{name}"
        return Diagnostic(level="error", message=message, kind="option", source=f"--{name}", hint=hint)
    if isinstance(value, bool) == (flag.type == "boolean"):
        return None
    takes = "takes no value" if flag.type == "boolean" else "needs a value"
    message = f"The flag --{name} of extension {flag.extension!r} {takes}"
    return Diagnostic(level="error", message=message, kind="option", source=f"--{name}")


async def emit_project_trust(
    extensions: Sequence[Extension],
    event: ProjectTrustEvent,
    ctx: TrustContext,
    *,
    on_error: Callable[[ExtensionError], object],
) -> ProjectTrustResult | None:
    """Ask the extensions loaded so far whether the project is trusted. No session is needed.

    Args:
        extensions: Those to ask, as the first pass loaded them.
        event: The question.
        ctx: What they may use to answer it.
        on_error: Takes the failure of each handler; it counts as no answer.

    Returns:
        The first yes or no, or ``None`` where nobody decides.
    """
    from pihost.events import ProjectTrustResult

    # By identity: an extension knows its runtime, and most often all know the same.
    runtimes = {id(extension.runtime): extension.runtime for extension in extensions}
    for runtime in runtimes.values():
        remove = runtime.on_error(on_error)
        try:
            answer = await runtime.hooks.emit(event, ctx)
        finally:
            remove()
        if isinstance(answer, ProjectTrustResult):
            return answer
    return None
