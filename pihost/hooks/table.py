"""The hook table of a runtime: the way in for extensions that answer hooks and for events that call them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pihost.diagnostics import ExtensionError
from pihost.events import Event
from pihost.hooks.changes import noting_changes
from pihost.hooks.dispatch import Desk, Plan, dispatch, dispatch_wrapped
from pihost.hooks.errors import UnknownHookError
from pihost.hooks.faults import FaultLog
from pihost.hooks.handler import bind
from pihost.hooks.registry import Registry
from pihost.hooks.watchdog import Watchdog
from pihost.near import near_aside

if TYPE_CHECKING:
    from pihost.hooks.observation import Observer

__all__ = ["HookTable"]


class HookTable:
    """Everything about hooks that belongs to one runtime: registration and dispatch.

    This does: find and judge hookimpls, keep them in order, call them, combine their answers, hand failures
    and refusals to listeners. This does not: load extensions, decide who may register, or keep anything for
    the next runtime.

    Args:
        on_error: Takes every failure of a handler.
        on_block: Told when a handler of ``tool_call``, ``tool_call_final`` or ``user_bash`` refuses: the
            extension's id, the event and the reason.
        hook_timeout: Seconds an async handler may take; ``None`` for no limit.
        observer: Watches every call of a handler; ``None`` where nobody does.
    """

    def __init__(
        self,
        *,
        on_error: Callable[[ExtensionError], None],
        on_block: Callable[[str, Event, str], None],
        hook_timeout: float | None = 60.0,
        observer: Observer | None = None,
    ) -> None:
        self._log = FaultLog(on_error)
        self._watchdog = Watchdog(hook_timeout)
        self._observer = observer
        self._desk = Desk(log=self._log, watchdog=self._watchdog, on_block=on_block)
        self._event_plans: dict[str, Plan | None] = {}
        self._call_plans: dict[str, Plan | None] = {}
        self._registry = Registry(self._forget_plan)
        for name in self._registry.specs:
            self._forget_plan(name)

    def add_hookspecs(self, extension: str, module: ModuleType) -> None:
        """Declare the hooks of an extension's module; all or none.

        Handlers that were waiting for them answer from now on, those that do not fit are left to ``unknown``.

        Args:
            extension: Id of the extension.
            module: A module with functions marked with ``hookspec``.

        Raises:
            HookRegistrationError: A name is taken, or a declaration is faulty.
        """
        self._registry.add_hookspecs(extension, module)

    def register(self, extension: str, plugin: object) -> tuple[str, ...]:
        """Register every hookimpl of a module or instance; all or none.

        Args:
            extension: Id of the extension.
            plugin: The module or instance.

        Returns:
            Names of the hooks it answers, in source order; empty where it has no hookimpl.

        Raises:
            HookRegistrationError: Hookimpls are faulty; names every fault.
        """
        return self._registry.register(extension, plugin)

    def subscribe(
        self,
        extension: str,
        event: str,
        handler: Callable[..., Any],
        *,
        tryfirst: bool = False,
        trylast: bool = False,
    ) -> Callable[[], None]:
        """Add a handler; it comes after the hookimpls of the same extension.

        Args:
            extension: Id of the extension.
            event: Name of the hook; one that nobody has declared yet is judged by ``unknown``.
            handler: Takes the event and the context by position.
            tryfirst: Before all plain handlers.
            trylast: After all plain handlers.

        Returns:
            A function that takes it out again; calling it twice does no harm.

        Raises:
            HookRegistrationError: The function cannot be a handler of the hook.
        """
        return self._registry.subscribe(extension, event, handler, tryfirst=tryfirst, trylast=trylast)

    def remove(self, extension: str) -> None:
        """Forget an extension: its handlers and the hooks it declared. A dispatch under way keeps its own."""
        self._registry.remove(extension)
        self._log.forget(extension)
        if self._observer is not None:
            self._observer.forget(extension)

    def unknown(self) -> Mapping[str, tuple[str, ...]]:
        """What is wrong with handlers whose hook came late or never; to ask after the last extension.

        Returns:
            For each extension concerned, one sentence a handler, with the near name where there is one.
        """
        return self._registry.unknown()

    def warnings(self, extension: str) -> tuple[str, ...]:
        """What an author should know: deprecated hooks that are answered, functions that only look marked."""
        return self._registry.warnings(extension)

    def set_order(self, extensions: Sequence[str]) -> None:
        """Put the handlers into the order of these extensions; those not named come after, as they came.

        Args:
            extensions: Ids, in the final order: local, global, configured, installed.
        """
        self._registry.set_order(extensions)

    def handlers(self, extension: str) -> tuple[str, ...]:
        """Names of the hooks the extension answers, in alphabetical order."""
        return self._registry.answered_by(extension)

    def has_handlers(self, name: str) -> bool:
        """Whether anybody answers the hook."""
        return bool(self._registry.handlers(name))

    def emit(self, event: Event, ctx: object) -> Coroutine[Any, Any, Any]:
        """Call every handler of the event; what is awaited is what ``Dispatcher.emit`` says.

        Args:
            event: What happened. An event that no hook receives is nothing to anybody.
            ctx: What handlers are handed besides.
        """
        if event.hook_name not in self._event_plans:
            return _nobody()
        plan = self._event_plans[event.hook_name] or self._plan_event(event.hook_name)
        if plan is None:
            return _nobody()
        return dispatch_wrapped(plan, event, ctx) if plan.wrappers else dispatch(plan, event, ctx)

    async def call(self, name: str, arguments: Mapping[str, object]) -> Any:
        """Call a hook that an extension declared.

        Args:
            name: The hook.
            arguments: All of its arguments.

        Returns:
            By kind: notify ``None``; chain the first argument as the handlers left it; gate and first the
            answer or ``None``; collect a list of ``(extension id, answer)``.

        Raises:
            UnknownHookError: Nobody declared it, the host fires it itself, or the arguments are others.
        """
        if name not in self._call_plans:
            raise UnknownHookError(name, self._why_not(name))
        plan = self._call_plans[name]
        if plan is None:
            plan = self._call_plans[name] = self._new_plan(name)
        if set(arguments) != set(plan.spec.arguments):
            raise UnknownHookError(
                name, f"it takes exactly these arguments: {', '.join(plan.spec.arguments)}"
            )
        run = dispatch_wrapped if plan.wrappers else dispatch
        return await run(plan, dict(arguments), None)

    def paused(self) -> AbstractContextManager[None]:
        """While a dialog waits for the user, nobody's time runs."""
        return self._watchdog.paused()

    def close(self) -> None:
        """Stop the watchdog's clock. Dispatches under way go on without a time limit."""
        self._watchdog.close()

    def _why_not(self, name: str) -> str:
        if name in self._registry.specs:
            return "the host fires it itself"
        return f"there is no such hook{near_aside(name, self._registry.specs)}"

    def _forget_plan(self, hook: str) -> None:
        """Whoever calls the hook next makes its plan anew; a dispatch under way keeps the one it has."""
        spec = self._registry.specs.get(hook)
        if spec is None:
            self._call_plans.pop(hook, None)
        elif spec.owner is None:
            self._event_plans[hook] = None
        else:
            self._call_plans[hook] = None

    def _plan_event(self, hook: str) -> Plan | None:
        """Make the plan of a hook of the host's own; none where nobody answers and nothing comes out."""
        plan = self._new_plan(hook)
        if plan.is_answered or plan.has_value:
            self._event_plans[hook] = plan
            return plan
        del self._event_plans[hook]
        return None

    def _new_plan(self, hook: str) -> Plan:
        spec = self._registry.specs[hook]
        bound = [
            (handler, noting_changes(handler, bind(handler, spec)))
            for handler in self._registry.handlers(hook)
        ]
        if self._observer is None:
            return Plan(spec, bound, self._desk)
        plan = Plan(spec, [(h, self._observer.observed(h, call)) for h, call in bound], self._desk)
        plan.combine = self._observer.combination(plan.combine)
        return plan


async def _nobody() -> None:
    """The dispatch of an event that nobody answers."""
