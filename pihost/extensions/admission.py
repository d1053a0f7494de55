"""Which candidates may be loaded, and why the others may not."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic
from pihost.extensions.candidate import Candidate, Discovery
from pihost.near import near_names
from pihost.paths import normalize_name

__all__ = [
    "Admission",
    "Admitted",
    "DropCause",
    "Dropped",
    "admit",
    "matches",
    "standing_faults",
    "unmatched",
]

DropCause = Literal["no_extensions", "untrusted", "disabled", "superseded", "incompatible"]
"""What kept a candidate out."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Admitted(Value):
    """A candidate that is allowed to load: trusted, enabled and compatible.

    Attributes:
        candidate: What was found.
    """

    candidate: Candidate


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Dropped(Value):
    """A candidate that stays out; it remains listed.

    Attributes:
        candidate: What was found.
        reason: Why it stays out, for people.
        cause: The same as one word.
    """

    candidate: Candidate
    reason: str
    cause: DropCause


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Admission(Value):
    """Every candidate once, on one side or the other.

    Attributes:
        admitted: In the final order: local, global, configured, installed.
        dropped: The others, in the same order.
    """

    admitted: tuple[Admitted, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Rules:
    """What was decided elsewhere, in the form in which one candidate after the other is held against it."""

    trusted: bool
    only_explicit: bool
    disabled: tuple[str, ...]
    project_disabled: tuple[str, ...]
    superseding: dict[str, Candidate]

    def why_not(self, candidate: Candidate) -> Dropped | None:
        """The first reason against ``candidate``, the user's own decisions before anything found out."""
        for check in (self._left_out, self._untrusted, self._disabled, self._superseded, self._incompatible):
            dropped = check(candidate)
            if dropped is not None:
                return dropped
        return None

    def _left_out(self, candidate: Candidate) -> Dropped | None:
        if not self.only_explicit or candidate.explicit:
            return None
        return Dropped(candidate=candidate, reason="left out by --no-extensions", cause="no_extensions")

    def _untrusted(self, candidate: Candidate) -> Dropped | None:
        if self.trusted or not candidate.needs_trust:
            return None
        return Dropped(candidate=candidate, reason="the project is not trusted", cause="untrusted")

    def _disabled(self, candidate: Candidate) -> Dropped | None:
        names = {candidate.id, candidate.usual_id}
        reason = next((f'disabled by "{p}"' for p in self.disabled if _any_matches(p, names)), None)
        if reason is None and candidate.needs_trust:
            found = (p for p in self.project_disabled if matches(p, candidate.id))
            reason = next((f'disabled by "{p}" in the project\'s settings' for p in found), None)
        return Dropped(candidate=candidate, reason=reason, cause="disabled") if reason else None

    def _superseded(self, candidate: Candidate) -> Dropped | None:
        if candidate.explicit or not self.superseding:
            return None
        winner = self.superseding.get(normalize_name(candidate.name))
        if winner is None:
            return None
        reason = f"superseded by {winner.location}, given with -e"
        return Dropped(candidate=candidate, reason=reason, cause="superseded")

    def _incompatible(self, candidate: Candidate) -> Dropped | None:
        if candidate.requires.is_empty:
            return None
        from pihost.extensions._compatibility import shortfalls

        faults = shortfalls(candidate.requires)
        if not faults:
            return None
        return Dropped(candidate=candidate, reason="; ".join(map(str, faults)), cause="incompatible")


def admit(
    candidates: Iterable[Candidate],
    *,
    trusted: bool,
    disabled: Iterable[str] = (),
    project_disabled: Iterable[str] = (),
    only_explicit: bool = False,
) -> Admission:
    """Decide which candidates may be loaded. This imports nothing of them and asks nobody.

    Args:
        candidates: What discovery found.
        trusted: Whether the project's own extensions may take part.
        disabled: Ids, or patterns of ids, that the user keeps out; they compare normalised (PEP 503).
        project_disabled: The same from the project's settings; they bind the project's own extensions only.
        only_explicit: Keep out everything that was not given with ``-e``.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.source.rank)
    rules = _Rules(
        trusted=trusted,
        only_explicit=only_explicit,
        disabled=tuple(disabled),
        project_disabled=tuple(project_disabled),
        superseding={normalize_name(c.name): c for c in reversed(ordered) if c.explicit},
    )
    verdicts = [rules.why_not(candidate) for candidate in ordered]
    return Admission(
        admitted=tuple(Admitted(candidate=c) for c, v in zip(ordered, verdicts, strict=True) if v is None),
        dropped=tuple(verdict for verdict in verdicts if verdict is not None),
    )


def matches(pattern: str, extension_id: str) -> bool:
    """Whether ``pattern``, an id or a glob of ids, covers ``extension_id``; both compare normalised."""
    wanted, found = normalize_name(pattern), normalize_name(extension_id)
    return wanted == found or fnmatch.fnmatchcase(found, wanted)


def _any_matches(pattern: str, names: Collection[str]) -> bool:
    return any(matches(pattern, name) for name in names)


def unmatched(patterns: Iterable[str], candidates: Sequence[Candidate]) -> tuple[Diagnostic, ...]:
    """An error, with the near ids, for each pattern that covers none of the candidates.

    It is for names a user has just typed (``--disable``, ``extensions disable``). A name in the settings may
    well belong to an extension that is not here.

    Args:
        patterns: Ids or globs of ids.
        candidates: Everything that was found.
    """
    ids = [candidate.id for candidate in candidates]
    return tuple(_no_such_id(pattern, ids) for pattern in patterns if not _any_matches(pattern, ids))


def _no_such_id(pattern: str, ids: Iterable[str]) -> Diagnostic:
    by_name = {normalize_name(extension_id): extension_id for extension_id in ids}
    near = [by_name[name] for name in near_names(normalize_name(pattern), by_name, most=3)]
    hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else None
    return Diagnostic(
        level="error", message=f"There is no extension {pattern!r}", kind="option", source=pattern, hint=hint
    )


def standing_faults(discovery: Discovery, admission: Admission, *, trusted: bool) -> tuple[Diagnostic, ...]:
    """The diagnostics of a discovery that still matter once it is decided who takes part.

    What is wrong with an extension that stays out anyway stops no start, and neither does what is wrong with
    the files of a project that is not trusted.

    Args:
        discovery: What was found.
        admission: What became of it.
        trusted: Whether the project's own extensions may take part.
    """
    out = {dropped.candidate.id for dropped in admission.dropped if dropped.cause != "incompatible"}
    hidden = () if trusted else discovery.project_diagnostics
    return tuple(d for d in discovery.diagnostics if d.source not in out and d not in hidden)
