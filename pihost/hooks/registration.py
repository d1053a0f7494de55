"""What an extension wrote, found with pluggy and judged before anything of it is registered."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs
import pluggy

from pihost._values import Value
from pihost.hooks._markers import KIND_ATTRIBUTE
from pihost.hooks.handler import Handler, Place
from pihost.hooks.marks import MARK, PROJECT, hookable_names
from pihost.hooks.parameters import Parameters, misfit, place_in_source, takes
from pihost.hooks.specs import Spec, read_spec

__all__ = [
    "Found",
    "Holder",
    "Manager",
    "fault_of",
    "find_hookimpls",
    "find_specs",
    "handler_of",
    "place_of",
    "spec_fault_of",
    "subscriber_of",
    "unmarked",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Found(Value):
    """A function marked with ``hookimpl``.

    Attributes:
        hook: Name of the hook it answers.
        function: The function, bound to its instance where it has one.
        options: What the marker was given.
    """

    hook: str
    function: Callable[..., Any]
    options: Mapping[str, Any]


class Holder:
    """Stands for an extension before pluggy: it has hook functions and nothing else.

    Args:
        extension: Id of the extension.
        handlers: Whose functions it has.
    """

    def __init__(self, extension: str, handlers: Iterable[Handler]) -> None:
        self.extension = extension
        self.options: dict[str, pluggy.HookimplOpts] = {}
        for number, handler in enumerate(handlers):
            name = f"hookimpl_{number}"
            setattr(self, name, handler.function)
            self.options[name] = {
                "wrapper": handler.wrapper,
                "hookwrapper": False,
                "optionalhook": handler.optional,
                "tryfirst": handler.place == 0,
                "trylast": handler.place == 2,  # noqa: PLR2004 -- Place says what it means
                "specname": handler.hook,
            }


class Manager(pluggy.PluginManager):
    """pluggy as parser and judge; it never calls anybody."""

    def __init__(self) -> None:
        super().__init__(PROJECT)

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """The options of a hookimpl; those of a holder's functions are what was found before."""
        if isinstance(plugin, Holder):
            return plugin.options.get(name)
        return super().parse_hookimpl_opts(plugin, name)


def find_hookimpls(manager: Manager, plugin: object) -> tuple[Found, ...]:
    """The functions of a module or instance marked with ``hookimpl``, in source order.

    Args:
        manager: Whose marker counts.
        plugin: The module or instance; nothing of it is evaluated but its functions.
    """
    found: list[Found] = []
    for name in hookable_names(plugin):
        options = manager.parse_hookimpl_opts(plugin, name)
        if options is not None:
            hook = options.get("specname") or name
            found.append(Found(hook=hook, function=getattr(plugin, name), options={**options}))
    return tuple(found)


def find_specs(module: object, owner: str) -> tuple[tuple[Spec, ...], tuple[str, ...]]:
    """The hookspecs of an extension's module, and what is wrong with them.

    Args:
        module: A module with functions marked with ``hookspec``; a class is a fault.
        owner: Id of the extension.
    """
    specs, faults = [], []
    for name, function in vars(module).items():
        options = (
            getattr(function, f"{PROJECT}_spec", None) if isinstance(function, types.FunctionType) else None
        )
        if options is None:
            continue
        if not hasattr(function, KIND_ATTRIBUTE):
            faults.append(f"{name}: declare it with pihost.hookspec(kind)")
        elif name != function.__name__:
            faults.append(f"{name}: the function is called {function.__name__}; the two must agree")
        elif isinstance(module, type):
            faults.append(f"{name}: declare hooks in a module, not in a class")
        else:
            specs.append(read_spec(function, owner))
    if not specs and not faults:
        faults.append("declares no hooks: mark functions with pihost.hookspec(kind)")
    return tuple(specs), tuple(faults)


def handler_of(extension: str, found: Found, sequence: int) -> Handler:
    """The handler that a hookimpl is.

    Args:
        extension: Id of the extension.
        found: The hookimpl.
        sequence: Its number among all registrations.
    """
    return Handler(
        extension=extension,
        hook=found.hook,
        function=found.function,
        parameters=Parameters.of(found.function),
        place=place_of(tryfirst=found.options["tryfirst"], trylast=found.options["trylast"]),
        sequence=sequence,
        wrapper=found.options["wrapper"],
        optional=found.options["optionalhook"],
    )


def subscriber_of(
    extension: str, hook: str, function: Callable[..., Any], *, place: Place, sequence: int
) -> Handler:
    """The handler that a function added with ``api.on`` is.

    Args:
        extension: Id of the extension.
        hook: Name of the hook.
        function: The function.
        place: From ``tryfirst`` and ``trylast``.
        sequence: Its number among all registrations.
    """
    return Handler(
        extension=extension, hook=hook, function=function, place=place, subscribed=True, sequence=sequence
    )


def place_of(*, tryfirst: bool, trylast: bool) -> Place:
    """Where these options put a handler; ``tryfirst`` outranks ``trylast``."""
    if tryfirst:
        return 0
    return 2 if trylast else 1


def fault_of(handler: Handler, options: Mapping[str, Any] = MappingProxyType({})) -> str | None:
    """What is wrong with a handler whatever the hook, or ``None``.

    Args:
        handler: The handler.
        options: What ``hookimpl`` was given.
    """
    function: Any = handler.function
    if not callable(function):
        return f"{handler.hook}: the handler is a {type(function).__name__}, which cannot be called"
    problem = _kind_fault(handler, uses_hookwrapper=bool(options.get("hookwrapper")))
    return None if problem is None else f"{place_in_source(handler.hook, function)}: {problem}"


def _kind_fault(handler: Handler, *, uses_hookwrapper: bool) -> str | None:
    if uses_hookwrapper:
        return "hookwrapper=True is not supported; use wrapper=True"
    generates, generates_async = _generators(handler.function)
    if generates_async:
        return "an async generator cannot answer a hook; a wrapper is a plain generator"
    if handler.wrapper and not generates:
        return "wrapper=True needs a plain generator function with one yield"
    if not handler.wrapper and generates:
        return "a generator never runs as a handler; return the answer, or use wrapper=True"
    return None


def _generators(function: Callable[..., Any]) -> tuple[bool, bool]:
    """Whether it is a generator function, and an async one; what is no plain function takes longer to ask."""
    if type(function) is types.FunctionType:
        flags = function.__code__.co_flags
        return bool(flags & inspect.CO_GENERATOR), bool(flags & inspect.CO_ASYNC_GENERATOR)
    return inspect.isgeneratorfunction(function), inspect.isasyncgenfunction(function)


def spec_fault_of(handler: Handler, spec: Spec) -> str | None:
    """What is wrong with a handler for just this hook, or ``None``."""
    if handler.parameters is not None:
        problem = misfit(handler.parameters, spec)
    elif takes(handler.function, len(spec.arguments)):
        problem = None
    else:
        problem = f"the handler must take ({', '.join(spec.arguments)}) by position"
    return None if problem is None else f"{place_in_source(handler.hook, handler.function)}: {problem}"


def unmarked(plugin: object, specs: Mapping[str, Spec], used: Iterable[object]) -> Iterator[str]:
    """A warning for each function of a module that is named like a hook and marked as none.

    Args:
        plugin: The module or instance.
        specs: The hooks there are.
        used: Functions that answer a hook in another way.
    """
    if not isinstance(plugin, types.ModuleType):
        return
    answering = [inspect.unwrap(f) for f in used if callable(f)]
    for name, value in vars(plugin).items():
        if name not in specs or not isinstance(value, types.FunctionType):
            continue
        marked = hasattr(value, MARK) or hasattr(value, KIND_ATTRIBUTE)  # an answer, or a declaration
        if value.__module__ == plugin.__name__ and not marked and value not in answering:
            yield f"{place_in_source(name, value)}: named like a hook, but not marked with @hookimpl"
