"""Telling candidates apart: the same one reached twice, and different ones of one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from pihost.extensions.candidate import Candidate
from pihost.paths import normalize_name

__all__ = ["merge_duplicates", "with_unique_ids"]


def merge_duplicates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each extension once, in its first place, with the rights of every way that leads to it.

    Files are the same by resolved path, entry points by distribution and name.

    Args:
        candidates: In the final order.
    """
    first: dict[object, Candidate] = {}
    for candidate in candidates:
        key = candidate.resolved or (candidate.distribution, candidate.entry_name)
        known = first.get(key)
        first[key] = candidate if known is None else _merge(known, candidate)
    return list(first.values())


def _merge(first: Candidate, again: Candidate) -> Candidate:
    """``first``, which the user may have reached in a second way; then it does not depend on the project."""
    explicit = first.explicit or again.explicit
    from_project = first.from_project and (again.from_project or again.explicit)
    if (explicit, from_project) == (first.explicit, first.from_project):
        return first
    return attrs.evolve(first, explicit=explicit, from_project=from_project)


def with_unique_ids(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates under ids that differ also when normalised (PEP 503).

    The first of a name keeps it, those given with ``-e`` before all others; a later one becomes
    ``name@source``, then ``name@source-2`` and so on.

    Args:
        candidates: In the final order; the order is kept.
    """
    taken: set[str] = set()
    ids: dict[int, str] = {}
    for index in sorted(range(len(candidates)), key=lambda i: not candidates[i].explicit):
        ids[index] = _free_id(candidates[index], taken)
        taken.add(normalize_name(ids[index]))
    return tuple(c if c.id == ids[i] else attrs.evolve(c, id=ids[i]) for i, c in enumerate(candidates))


def _free_id(candidate: Candidate, taken: set[str]) -> str:
    proposal = candidate.name
    if normalize_name(proposal) not in taken:
        return proposal
    base = proposal = f"{candidate.name}@{candidate.source.value}"
    number = 2
    while normalize_name(proposal) in taken:
        proposal = f"{base}-{number}"
        number += 1
    return proposal
