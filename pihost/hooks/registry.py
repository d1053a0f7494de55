"""Who answers which hook: declarations and handlers of every extension, in order."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import pluggy

from pihost.hooks import registration
from pihost.hooks.errors import HookRegistrationError
from pihost.hooks.handler import Handler
from pihost.hooks.hookspecs import FAMILIES, host_specs
from pihost.hooks.marks import hookable_names
from pihost.hooks.parameters import place_in_source
from pihost.hooks.specs import Spec
from pihost.near import near_aside

__all__ = ["Registry"]


class Registry:
    """Hookspecs and handlers. Judges them with a plugin manager of its own, which never calls anybody.

    Args:
        on_change: Told the hook whose handlers or declaration changed.
    """

    def __init__(self, on_change: Callable[[str], None]) -> None:
        self._on_change = on_change
        self._sequence = itertools.count()
        self._ranks: dict[str, int] = {}
        self._handlers: dict[str, list[Handler]] = {}
        self._of_extension: dict[str, list[Handler]] = {}
        self._misfits: dict[Handler, str] = {}
        self._plugins: dict[str, list[object]] = {}
        self.specs: dict[str, Spec] = dict(host_specs())

    @cached_property
    def _manager(self) -> registration.Manager:
        """Made for the first hookimpl or hookspec of an extension; many only use ``api.on``."""
        manager = registration.Manager()
        for family in FAMILIES:
            manager.add_hookspecs(family)
        return manager

    def handlers(self, hook: str) -> tuple[Handler, ...]:
        """Everybody who answers the hook and fits it, wrappers too, in order."""
        return tuple(h for h in self._handlers.get(hook, ()) if h not in self._misfits)

    def answered_by(self, extension: str) -> tuple[str, ...]:
        """Names of the hooks the extension answers, in alphabetical order."""
        return tuple(sorted({h.hook for h in self._of_extension.get(extension, ())}))

    def add_hookspecs(self, extension: str, module: ModuleType) -> None:
        """Declare the hooks of an extension's module; all or none.

        Args:
            extension: Id of the extension.
            module: A module with functions marked with ``hookspec``.

        Raises:
            HookRegistrationError: A name is taken, or a declaration is faulty.
        """
        specs, faults = registration.find_specs(module, extension)
        taken = [
            f"the hook {s.name} is declared already by {self._owner(s.name)}"
            for s in specs
            if s.name in self.specs
        ]
        if faults or taken:
            raise HookRegistrationError(extension, (*faults, *taken))
        for spec in specs:
            self.specs[spec.name] = spec
            self._judge_waiting(spec)
        self._manager.add_hookspecs(module)
        for spec in specs:
            self._admit([h for h in self.handlers(spec.name) if not h.subscribed])
            self._on_change(spec.name)

    def register(self, extension: str, plugin: object) -> tuple[str, ...]:
        """Register every hookimpl of a module or instance; all or none.

        Args:
            extension: Id of the extension.
            plugin: The module or instance.

        Returns:
            Names of the hooks it answers, in source order.

        Raises:
            HookRegistrationError: Hookimpls are faulty; names every fault.
        """
        if not any(hookable_names(plugin)):
            self._plugins.setdefault(extension, []).append(plugin)
            return ()
        found = registration.find_hookimpls(self._manager, plugin)
        handlers = [registration.handler_of(extension, f, next(self._sequence)) for f in found]
        faults = [
            fault
            for f, handler in zip(found, handlers, strict=True)
            if (fault := registration.fault_of(handler, f.options) or self._spec_fault(handler))
        ]
        if faults:
            raise HookRegistrationError(extension, faults)
        self._admit([h for h in handlers if h.hook in self.specs])
        self._plugins.setdefault(extension, []).append(plugin)
        for handler in handlers:
            self._insert(handler)
        return tuple(dict.fromkeys(h.hook for h in handlers))

    def subscribe(
        self, extension: str, hook: str, function: Callable[..., Any], *, tryfirst: bool, trylast: bool
    ) -> Callable[[], None]:
        """Add a handler.

        Args:
            extension: Id of the extension.
            hook: Name of the hook; one that nobody has declared is judged by ``unknown``.
            function: Takes the hook's arguments by position.
            tryfirst: Before all plain handlers.
            trylast: After all plain handlers.

        Returns:
            A function that takes it out again; calling it twice does no harm.

        Raises:
            HookRegistrationError: The function cannot be a handler of the hook.
        """
        place = registration.place_of(tryfirst=tryfirst, trylast=trylast)
        handler = registration.subscriber_of(
            extension, hook, function, place=place, sequence=next(self._sequence)
        )
        fault = registration.fault_of(handler) or self._spec_fault(handler)
        if fault is not None:
            raise HookRegistrationError(extension, [fault])
        self._insert(handler)
        return lambda: self._take_out(handler)

    def remove(self, extension: str) -> None:
        """Forget an extension: its handlers, and the hooks it declared."""
        self._plugins.pop(extension, None)
        changed = {name for name, spec in self.specs.items() if spec.owner == extension}
        for name in changed:
            del self.specs[name]
            delattr(self._manager.hook, name)
        for handler in self._of_extension.pop(extension, ()):
            self._handlers[handler.hook].remove(handler)
            changed.add(handler.hook)
        self._misfits = {
            h: fault
            for h, fault in self._misfits.items()
            if h.hook in self.specs and h.extension != extension
        }
        for holder in [p for p in self._manager.get_plugins() if p.extension == extension]:
            self._manager.unregister(holder)
        for name in changed:
            self._on_change(name)

    def unknown(self) -> dict[str, tuple[str, ...]]:
        """For each extension, what is wrong with handlers whose hook was not declared when they came."""
        faults: dict[str, list[str]] = {}
        for hook, handlers in self._handlers.items():
            for handler in handlers:
                fault = self._misfits.get(handler)
                if fault is None and hook not in self.specs and not handler.optional:
                    where = place_in_source(hook, handler.function)
                    fault = f"{where}: there is no hook {hook!r}{near_aside(hook, self.specs)}"
                if fault is not None:
                    faults.setdefault(handler.extension, []).append(fault)
        return {extension: tuple(texts) for extension, texts in faults.items()}

    def warnings(self, extension: str) -> tuple[str, ...]:
        """What an author should know: deprecated hooks that are answered, functions not marked."""
        mine = self._of_extension.get(extension, ())
        deprecated = [
            f"{place_in_source(h.hook, h.function)}: {self.specs[h.hook].deprecated}"
            for h in mine
            if h.hook in self.specs and self.specs[h.hook].deprecated is not None
        ]
        plugins = self._plugins.get(extension)
        if plugins is None:
            return tuple(deprecated)
        used = [h.function for h in mine]
        looks = [w for p in plugins for w in registration.unmarked(p, self.specs, used)]
        return (*deprecated, *looks)

    def set_order(self, extensions: Sequence[str]) -> None:
        """Put the handlers into the order of these extensions; those not named come after, as they came.

        Args:
            extensions: Ids of extensions.
        """
        before = sorted(self._ranks, key=self._ranks.__getitem__)
        self._ranks = {e: rank for rank, e in enumerate(dict.fromkeys((*extensions, *before)))}
        for hook, handlers in self._handlers.items():
            handlers.sort(key=self._key)
            self._on_change(hook)

    def _key(self, handler: Handler) -> tuple[int, int, bool, int]:
        return handler.place, self._ranks[handler.extension], handler.subscribed, handler.sequence

    def _insert(self, handler: Handler) -> None:
        self._ranks.setdefault(handler.extension, len(self._ranks))
        self._of_extension.setdefault(handler.extension, []).append(handler)
        others = self._handlers.setdefault(handler.hook, [])
        if others and self._key(others[-1]) > self._key(handler):
            bisect.insort(others, handler, key=self._key)
        else:  # nearly always: extensions come in their order
            others.append(handler)
        self._on_change(handler.hook)

    def _take_out(self, handler: Handler) -> None:
        mine = self._of_extension.get(handler.extension, [])
        if handler in mine:
            mine.remove(handler)
            self._handlers[handler.hook].remove(handler)
            self._on_change(handler.hook)

    def _spec_fault(self, handler: Handler) -> str | None:
        spec = self.specs.get(handler.hook)
        return None if spec is None else registration.spec_fault_of(handler, spec)

    def _judge_waiting(self, spec: Spec) -> None:
        """Note which handlers that came before their hook do not fit it."""
        for handler in self._handlers.get(spec.name, ()):
            fault = registration.spec_fault_of(handler, spec)
            if fault is not None:
                self._misfits[handler] = fault

    def _admit(self, handlers: Sequence[Handler]) -> None:
        """Have pluggy check them too, and give its warnings on deprecated hooks.

        Raises:
            HookRegistrationError: It finds a fault.
        """
        for extension in dict.fromkeys(h.extension for h in handlers):
            holder = registration.Holder(extension, [h for h in handlers if h.extension == extension])
            try:
                self._manager.register(holder, name=f"{extension}#{next(self._sequence)}")
            except pluggy.PluginValidationError as error:
                raise HookRegistrationError(extension, [str(error)]) from error

    def _owner(self, name: str) -> str:
        owner = self.specs[name].owner
        return "the host" if owner is None else f"extension {owner!r}"
