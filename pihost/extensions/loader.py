"""Loads admitted extensions one after the other; whatever one of them does becomes that extension's error."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.errors import ExtensionNotReadyError, describe
from pihost.extensions._target import ExtensionLoadError, Target, modules_of, open_target
from pihost.extensions.admission import Admitted
from pihost.extensions.api import ExtensionAPI
from pihost.extensions.containment.surroundings import InSteps, Surroundings
from pihost.extensions.event_loop import others_turn, running_loop
from pihost.extensions.faults import error_of, passes_through
from pihost.extensions.records import Extension, LoadResult
from pihost.extensions.registrations import Registrations
from pihost.extensions.runtime import ExtensionRuntime, create_extension_runtime

__all__ = ["load_extensions"]

_TURN = 0.01
"""Seconds after which others get their turn."""

_MOST_EXACT = 40
"""How many extensions are each looked at by themselves; of more, those of one turn together."""

_NOTHING = "defines neither setup() nor any hook implementation"


async def load_extensions(
    admitted: Iterable[Admitted],
    cwd: Path,
    runtime: ExtensionRuntime | None = None,
    *,
    stdout_to_stderr: bool = True,
) -> LoadResult:
    """Import extensions and run their ``setup``, one at a time, in order.

    This does run their code. It does not bind them: until ``ExtensionRunner.bind_core`` they can register,
    and nothing else. One that fails leaves nothing behind, and the next one loads.

    Args:
        admitted: What to load.
        cwd: The session's directory.
        runtime: Load into this one, beside what it holds already; ``None`` makes a new one.
        stdout_to_stderr: Send what extensions print meanwhile to stderr.

    Returns:
        Those that loaded, in the order given, and what went wrong. Only ``KeyboardInterrupt`` and a
        cancellation of the caller are raised.
    """
    runtime = create_extension_runtime() if runtime is None else runtime
    runtime.enter(cwd)
    # Files that were written since the directories were last listed would not be found.
    importlib.invalidate_caches()
    loaded: list[Extension] = []
    admitted = tuple(admitted)
    surroundings = Surroundings(stdout_to_stderr=stdout_to_stderr, exact=len(admitted) <= _MOST_EXACT)
    turn = time.perf_counter()
    with _collected(runtime) as errors:
        for each in admitted:
            extension = await _load(each, runtime, surroundings)
            if extension is not None:
                loaded.append(extension)
            if time.perf_counter() - turn > _TURN or _is_cancelled():
                surroundings.leave()
                if running_loop() is not None:
                    await others_turn()
                turn = time.perf_counter()
        surroundings.leave()
        await _unload_unknown_hooks(runtime)
    loaded = [extension for extension in loaded if extension.id in runtime.registry]
    return LoadResult(
        extensions=tuple(loaded),
        errors=tuple(errors),
        warnings=(
            *surroundings.warnings(),
            *[warning for extension in loaded for warning in _warnings(extension)],
        ),
        runtime=runtime,
    )


def _is_cancelled() -> bool:
    asyncio = sys.modules.get("asyncio")
    try:
        task = asyncio and asyncio.current_task()
    except RuntimeError:  # no event loop runs
        return False
    return task is not None and task.cancelling() > 0


def _warnings(extension: Extension) -> Iterator[Diagnostic]:
    for message in extension.runtime.hook_warnings(extension.id):
        text = f"Extension {extension.id!r}: {message}"
        yield Diagnostic(level="warning", message=text, kind="load", source=extension.id)


@contextmanager
def _collected(runtime: ExtensionRuntime) -> Iterator[list[ExtensionError]]:
    errors: list[ExtensionError] = []
    remove = runtime.on_error(errors.append)
    try:
        yield errors
    finally:
        remove()


async def _load(
    admitted: Admitted, runtime: ExtensionRuntime, surroundings: Surroundings
) -> Extension | None:
    candidate = admitted.candidate
    if candidate.id in runtime.registry:
        fault = ExtensionLoadError("an extension of this id is loaded already")
        runtime.report(error_of(candidate.id, "load", fault))
        return None
    record = Registrations(
        extension=candidate.id,
        usual_id=candidate.usual_id,
        where=candidate.location,
        local=candidate.from_project,
        replaceable=candidate.replaceable,
    )
    surroundings.extension = candidate.id
    started = time.perf_counter()
    try:
        await InSteps(_run(admitted, record, runtime), surroundings)
    except BaseException as fault:
        wants_loop = running_loop() is None and _may_want_loop(fault)
        error = error_of(candidate.id, "load", fault)
        await runtime.discard(record, f"loading it failed ({describe(fault)}); nothing of it is in effect")
        if passes_through(fault):
            raise
        if wants_loop:
            await runtime.in_loop()
            return await _load(admitted, runtime, surroundings)
        runtime.report(error)
        return None
    return _loaded(admitted, record, runtime, (time.perf_counter() - started) * 1000)


def _may_want_loop(fault: BaseException) -> bool:
    """Whether what failed without an event loop may do better with one."""
    return "asyncio" in sys.modules or isinstance(fault, ExtensionNotReadyError)


async def _run(admitted: Admitted, record: Registrations, runtime: ExtensionRuntime) -> None:
    target = _open(admitted, record, runtime)
    if "asyncio" in sys.modules and running_loop() is None:  # imported by one who may start something
        await runtime.in_loop()
    waiting = None if target.setup is None else target.setup(ExtensionAPI(runtime, record))
    if waiting is not None and inspect.isawaitable(waiting):
        await runtime.in_loop()
        await _in_time(waiting, runtime.hook_timeout)
    implemented = runtime.commit(record, target.plugin)
    if target.setup is None and not implemented:
        near_misses = runtime.hook_warnings(record.extension)
        raise ExtensionLoadError("; ".join((_NOTHING, *near_misses)))


async def _in_time(setup: Awaitable[object], limit: float | None) -> None:
    """Wait for an async ``setup``, which gets as long as a handler: a start must not hang without a word."""
    import asyncio

    scope = asyncio.timeout(limit)
    try:
        async with scope:
            await setup
    except TimeoutError:
        if not scope.expired():
            raise
        raise ExtensionLoadError(f"its setup() did not end within {limit:g} seconds") from None


def _open(admitted: Admitted, record: Registrations, runtime: ExtensionRuntime) -> Target:
    group = modules_of(admitted.candidate, runtime.cwd)
    runtime.keep_modules(record.extension, group)
    target = open_target(admitted.candidate, group)
    record.replaceable = target.replaceable
    return target


def _loaded(
    admitted: Admitted, record: Registrations, runtime: ExtensionRuntime, load_ms: float
) -> Extension:
    return Extension(
        admitted=admitted,
        id=record.extension,
        tools=MappingProxyType(dict(record.tools)),
        commands=MappingProxyType(dict(record.commands)),
        flags=MappingProxyType(dict(record.flags)),
        handlers=runtime.hooks.handlers(record.extension) if runtime.has_hooks else (),
        load_ms=load_ms,
        replaceable=record.replaceable,
        runtime=runtime,
    )


async def _unload_unknown_hooks(runtime: ExtensionRuntime) -> None:
    if not runtime.has_hooks:
        return
    # Unloading an extension takes the hooks it declared with it, which others may answer.
    while unknown := runtime.hooks.unknown():
        for extension, faults in unknown.items():
            fault = ExtensionLoadError("; ".join(faults))
            await runtime.discard(runtime.registry[extension], f"it was unloaded: {fault}")
            runtime.report(error_of(extension, "load", fault))
