"""Every candidate in the state it reached, as rows for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from pihost.extensions import Candidate, Extension
from pihost.host._startup import Startup

__all__ = ["Row", "State", "rows_of"]

State = Literal["discovered", "admitted", "loaded", "bound"]
"""How far an extension got; each state implies the ones before it."""


@attrs.frozen(kw_only=True)
class Row:
    """One candidate.

    Attributes:
        id: Its id.
        source: Where it was found.
        state: How far it got.
        path: Where it is, as the user wrote it; ``None`` for an entry point.
        distribution: The distribution it comes from.
        version: That distribution's version.
        load_ms: How long loading took, in milliseconds.
        tools: Names of the tools it registers.
        commands: Names of the commands it registers.
        flags: Names of the flags it registers.
        hooks: Names of the hooks it answers.
        reason: What stopped it.
        stack: The traceback, where loading failed.
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


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def rows_of(startup: Startup, *, bound: Iterable[str] = ()) -> tuple[Row, ...]:
    """A row for every candidate: those admitted in final order, then those that were not.

    Args:
        startup: What a start found and loaded.
        bound: Ids of the extensions that are bound to a live session.
    """
    loaded = {extension.id: extension for extension in startup.extensions}
    failed = {error.extension: error for error in startup.errors}
    alive = frozenset(bound)
    rows = []
    for admitted in startup.admission.admitted:
        candidate = admitted.candidate
        if candidate.id in loaded:
            rows.append(_loaded_row(loaded[candidate.id], bound=candidate.id in alive))
        elif candidate.id in failed:
            error = failed[candidate.id]
            rows.append(_row(candidate, "admitted", reason=error.error, stack=error.stack))
        else:
            rows.append(_row(candidate, "admitted"))
    rows.extend(_row(one.candidate, "discovered", reason=one.reason) for one in startup.admission.dropped)
    return tuple(rows)


def _loaded_row(extension: Extension, *, bound: bool) -> Row:
    return _row(
        extension.admitted.candidate,
        "bound" if bound else "loaded",
        load_ms=round(extension.load_ms, 2),
        tools=tuple(extension.tools),
        commands=tuple(extension.commands),
        flags=tuple(extension.flags),
        hooks=tuple(dict.fromkeys(extension.handlers)),
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
