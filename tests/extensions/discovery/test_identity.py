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
    back = [attrs.evolve(candidate, id=candidate.name, usual_id=candidate.name) for candidate in again]
    assert back == given_candidates


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
    ("again", "explicit", "from_project", "path"),
    [
        (reached(Source.GLOBAL), False, False, "/x.py"),
        (reached(Source.CONFIGURED), False, False, "/x.py"),
        (reached(Source.CONFIGURED, from_project=True), False, True, "/first.py"),
        (reached(Source.CONFIGURED, explicit=True), True, True, "/x.py"),
    ],
)
def test_what_the_user_reaches_too_no_longer_depends_on_the_project(again, explicit, from_project, path):
    """With ``-e`` it needs no trust, and is still the project's, so that its settings may configure it."""
    (merged,) = merge_duplicates([reached(Source.LOCAL, path="/first.py"), again])
    assert (merged.source, merged.path) == (Source.LOCAL, Path(path))
    assert (merged.explicit, merged.from_project) == (explicit, from_project)


def test_a_link_in_the_project_gives_the_users_extension_no_other_name():
    """Under the name of a guard it would supersede the guard."""
    linked = attrs.evolve(reached(Source.LOCAL), id="guard", name="guard")
    (merged,) = merge_duplicates([linked, reached(Source.CONFIGURED, explicit=True)])
    assert (merged.id, merged.name) == ("x", "x")


@given(given_candidates=candidates)
def test_what_was_found_before_keeps_its_id(given_candidates):
    every = merge_duplicates(given_candidates)
    before = with_unique_ids(every[1::2])
    again = {candidate.resolved: candidate.id for candidate in with_unique_ids(every, before)}
    assert {candidate.resolved: candidate.id for candidate in before}.items() <= again.items()
    assert len({normalize_name(one) for one in again.values()}) == len(every)


@given(given_candidates=candidates)
def test_the_usual_id_is_the_one_without_the_project(given_candidates):
    every = merge_duplicates(given_candidates)
    alone = with_unique_ids([candidate for candidate in every if not candidate.from_project])
    usual = [candidate.usual_id for candidate in with_unique_ids(every) if not candidate.from_project]
    assert usual == [candidate.id for candidate in alone]


def test_entry_points_are_the_same_by_distribution_and_name():
    one = Candidate(
        id="acme", source=Source.INSTALLED, distribution="acme", entry_name="a", entry_point="m:a"
    )
    other = attrs.evolve(one, entry_name="b")
    assert merge_duplicates([one, other, attrs.evolve(one, entry_point="m:b")]) == [one, other]
