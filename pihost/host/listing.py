"""Every candidate in the state it reached, as rows for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from pihost._values import Value
from pihost.extensions import Candidate, Extension
from pihost.tables import table

if TYPE_CHECKING:
    from pihost.diagnostics import Diagnostic
    from pihost.hooks import HandlerTime
    from pihost.host._startup import Startup
    from pihost.trust import TrustDecision

__all__ = ["HostReport", "Row", "State", "listing", "rows_of"]

State = Literal["discovered", "admitted", "loaded", "bound"]
"""How far an extension got; each state implies the ones before it."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Row(Value):
    """One candidate.

    Attributes:
        id: Its id.
        source: Where it was found.
        state: How far it got.
        path: Where it is, as the user wrote it; ``None`` for an entry point.
        distribution: The distribution it comes from.
        version: That distribution's version.
        load_ms: How long loading took, in milliseconds.
        tools: Names of the tools it registers; once bound, of those that it has registered now.
        commands: The same of commands.
        flags: The same of flags.
        hooks: Names of the hooks it answers, likewise.
        reason: What stopped it.
        stack: The traceback, where loading failed.
        handler_times: How long its handlers have taken, for each hook; empty unless ``hook_timing`` is set.
    """

    id: str
    source: str
    state: State
    path: str | None = None
    distribution: str | None = None
    version: str | None = None
    load_ms: float | None = None
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    reason: str | None = None
    stack: str | None = None
    handler_times: tuple[HandlerTime, ...] = ()

    @property
    def summary(self) -> str:
        """What stopped it, else what it registers and answers."""
        if self.reason is not None:
            return self.reason
        groups = {"tools": self.tools, "commands": self.commands, "flags": self.flags, "hooks": self.hooks}
        return "; ".join(f"{name}: {', '.join(names)}" for name, names in groups.items() if names)

    def as_record(self) -> Mapping[str, Any]:
        """The row as JSON-compatible data."""
        return attrs.asdict(self, value_serializer=lambda _row, _field, value: _listed(value))

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row in four columns: id, source, state, and everything else in one."""
        origin = (
            None if self.distribution is None else " ".join(filter(None, (self.distribution, self.version)))
        )
        took = None if self.load_ms is None else f"{self.load_ms:.1f} ms"
        details = filter(None, (origin, self.summary, took, *map(_time, self.handler_times)))
        return self.id, self.source, self.state, "; ".join(details)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HostReport(Value):
    """A host's extensions as they stand now.

    Attributes:
        cwd: The directory it works in.
        trust: Whether the project's own extensions take part, and why.
        extensions: One row for each that was found: those admitted in final order, then those that were not.
        diagnostics: Everything found wrong so far, in the order a start reports it.
        hook_timing: Whether the time of every handler is kept.
    """

    cwd: Path
    trust: TrustDecision
    extensions: tuple[Row, ...]
    diagnostics: tuple[Diagnostic, ...]
    hook_timing: bool


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _time(time: HandlerTime) -> str:
    times = f"{time.total_ms:.1f} ms in {time.count}, longest {time.max_ms:.1f}, last {time.last_ms:.1f}"
    return f"{time.hook} took {times}"


def listing(rows: Sequence[Row], *, home: Path) -> Iterator[str]:
    """The rows as the lines of a table for people.

    Args:
        rows: What ``rows_of`` gives.
        home: The user's global directory, which is named where there is no extension.
    """
    if not rows:
        yield f"No extensions. A file put into {home / 'extensions'} is one."
    yield from table([row.cells for row in rows])


def rows_of(startup: Startup, *, bound: Iterable[str] = ()) -> tuple[Row, ...]:
    """A row for every candidate: those admitted in final order, then those that were not.

    Args:
        startup: What a start found and loaded.
        bound: Ids of the extensions that are bound to a live session.
    """
    loaded = {extension.id: extension for extension in startup.extensions}
    failed = {error.extension: error for error in startup.errors}
    alive = frozenset(bound)
    observer = startup.runtime.observer
    times = () if observer is None else observer.times()
    rows = []
    for admitted in startup.admission.admitted:
        candidate = admitted.candidate
        if candidate.id in loaded:
            extension = loaded[candidate.id]
            row = _bound_row(extension) if candidate.id in alive else _loaded_row(extension)
            own = tuple(time for time in times if time.extension == candidate.id)
            rows.append(attrs.evolve(row, handler_times=own))
        elif candidate.id in failed:
            error = failed[candidate.id]
            rows.append(_row(candidate, "admitted", reason=error.error, stack=error.stack))
        else:
            rows.append(_row(candidate, "admitted"))
    rows.extend(_row(one.candidate, "discovered", reason=one.reason) for one in startup.admission.dropped)
    return tuple(rows)


def _loaded_row(extension: Extension) -> Row:
    """What ``setup`` registered."""
    return _row(
        extension.admitted.candidate,
        "loaded",
        load_ms=round(extension.load_ms, 2),
        tools=tuple(extension.tools),
        commands=tuple(extension.commands),
        flags=tuple(extension.flags),
        hooks=tuple(dict.fromkeys(extension.handlers)),
    )


def _bound_row(extension: Extension) -> Row:
    """What it has registered now: in a live session it may add to that and take back."""
    runtime = extension.runtime
    record = runtime.registry[extension.id]
    handlers = runtime.hooks.handlers(extension.id) if runtime.has_hooks else ()
    return attrs.evolve(
        _loaded_row(extension),
        state="bound",
        tools=tuple(record.tools),
        commands=tuple(record.commands),
        flags=tuple(record.flags),
        hooks=tuple(dict.fromkeys(handlers)),
    )


def _row(candidate: Candidate, state: State, **known: Any) -> Row:
    return Row(
        id=candidate.id,
        source=candidate.source.value,
        state=state,
        path=None if candidate.path is None else str(candidate.path),
        distribution=candidate.distribution,
        version=candidate.version,
        **known,
    )
