"""Telling candidates apart: the same one reached twice, and different ones of one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
        key = _identity(candidate)
        known = first.get(key)
        first[key] = candidate if known is None else _merge(known, candidate)
    return list(first.values())


def _identity(candidate: Candidate) -> object:
    return candidate.resolved or (candidate.distribution, candidate.entry_name)


def _merge(first: Candidate, again: Candidate) -> Candidate:
    """Both in the place of the first, with what the user says of it before what the project says.

    Else a link in the project, under a name of its choice, would let an extension of the user's supersede
    another, or require what keeps it out.
    """
    explicit = first.explicit or again.explicit
    from_project = first.from_project and (again.from_project or again.explicit)
    if first.from_project and not again.from_project:
        return attrs.evolve(again, source=first.source, explicit=explicit, from_project=from_project)
    return first if explicit == first.explicit else attrs.evolve(first, explicit=explicit)


def with_unique_ids(
    candidates: Sequence[Candidate], before: Iterable[Candidate] = ()
) -> tuple[Candidate, ...]:
    """The candidates under ids that differ also when normalised (PEP 503).

    The first of a name keeps it, those given with ``-e`` before all others; a later one becomes
    ``name@source``, then ``name@source-2`` and so on.

    Args:
        candidates: In the final order, each once; the order is kept.
        before: What was found before. It may be loaded already, so nothing else gets an id of it.
    """
    ids = _ids(candidates, {_identity(candidate): candidate.id for candidate in before})
    own = [candidate for candidate in candidates if not candidate.from_project]
    usual = iter(ids if len(own) == len(candidates) else _ids(own, {}))
    return tuple(
        _named(candidate, new_id, new_id if candidate.from_project else next(usual))
        for candidate, new_id in zip(candidates, ids, strict=True)
    )


def _named(candidate: Candidate, new_id: str, usual_id: str) -> Candidate:
    if (candidate.id, candidate.usual_id) == (new_id, usual_id):
        return candidate
    return attrs.evolve(candidate, id=new_id, usual_id=usual_id)


def _ids(candidates: Sequence[Candidate], kept: Mapping[object, str]) -> list[str]:
    """An id for each; one of those kept for whoever had it."""
    taken = {normalize_name(one) for one in kept.values()}
    ids = [""] * len(candidates)
    for index in sorted(range(len(candidates)), key=lambda i: not candidates[i].explicit):
        candidate = candidates[index]
        ids[index] = kept.get(_identity(candidate)) or _free_id(candidate, taken)
        taken.add(normalize_name(ids[index]))
    return ids


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
