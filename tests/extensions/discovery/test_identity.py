from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.extensions import Candidate, Source
from pihost.extensions._identity import merge_duplicates, with_unique_ids
from pihost.paths import normalize_name

names = st.sampled_from(["x", "X", "my-tool", "my_tool", "x@local", "x@global", "x@global-2"])
candidates = st.lists(
    st.builds(
        Candidate,
        id=names,
        source=st.sampled_from(Source),
        resolved=st.sampled_from([Path("/a"), Path("/b"), Path("/c"), Path("/d")]),
        explicit=st.booleans(),
    ),
    max_size=12,
)


def reached(source, *, explicit=False, from_project=None, path="/x.py"):
    candidate = Candidate(id="x", source=source, path=Path(path), resolved=Path("/x.py"), explicit=explicit)
    return candidate if from_project is None else attrs.evolve(candidate, from_project=from_project)


@given(given_candidates=candidates)
def test_ids_are_unique_also_when_normalised(given_candidates):
    ids = [normalize_name(candidate.id) for candidate in with_unique_ids(given_candidates)]
    assert len(set(ids)) == len(given_candidates)


@given(given_candidates=candidates)
def test_giving_ids_changes_neither_the_order_nor_anything_else(given_candidates):
    again = with_unique_ids(given_candidates)
    assert [attrs.evolve(candidate, id=candidate.name) for candidate in again] == given_candidates


def test_the_explicit_one_keeps_the_name_before_those_that_come_first():
    same = [reached(Source.LOCAL), reached(Source.GLOBAL), reached(Source.CONFIGURED, explicit=True)]
    assert [candidate.id for candidate in with_unique_ids(same)] == ["x@local", "x@global", "x"]


@given(given_candidates=candidates)
def test_merging_keeps_one_of_each_path_in_its_first_place(given_candidates):
    merged = merge_duplicates(given_candidates)
    assert [c.resolved for c in merged] == list(dict.fromkeys(c.resolved for c in given_candidates))
    assert merge_duplicates(merged) == merged


@given(given_candidates=candidates)
def test_merging_takes_away_no_right(given_candidates):
    """What any way of reaching an extension allows without trust is allowed afterwards."""
    free = {c.resolved for c in given_candidates if not c.needs_trust}
    assert free == {c.resolved for c in merge_duplicates(given_candidates) if not c.needs_trust}


@pytest.mark.parametrize(
    ("again", "explicit", "from_project"),
    [
        (reached(Source.GLOBAL), False, False),
        (reached(Source.CONFIGURED), False, False),
        (reached(Source.CONFIGURED, from_project=True), False, True),
        (reached(Source.CONFIGURED, explicit=True), True, True),
    ],
)
def test_what_the_user_reaches_too_no_longer_depends_on_the_project(again, explicit, from_project):
    """With ``-e`` it needs no trust, and is still the project's, so that its settings may configure it."""
    (merged,) = merge_duplicates([reached(Source.LOCAL, path="/first.py"), again])
    assert (merged.source, merged.path) == (Source.LOCAL, Path("/first.py"))
    assert (merged.explicit, merged.from_project) == (explicit, from_project)


def test_entry_points_are_the_same_by_distribution_and_name():
    one = Candidate(
        id="acme", source=Source.INSTALLED, distribution="acme", entry_name="a", entry_point="m:a"
    )
    other = attrs.evolve(one, entry_name="b")
    assert merge_duplicates([one, other, attrs.evolve(one, entry_point="m:b")]) == [one, other]
