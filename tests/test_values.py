"""Value classes: equal, hashed and shown by their fields, as attrs itself would have it."""

import copy
import pickle

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost._values import Value


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Place(Value):
    name: str
    beside: object = None
    owner: object = attrs.field(default=None, eq=False, repr=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Town(Place):
    size: int = 0


@attrs.frozen(kw_only=True)
class OfAttrs:
    name: str
    beside: object = None
    owner: object = attrs.field(default=None, eq=False, repr=False)


fields = st.fixed_dictionaries(
    {"name": st.text(max_size=2), "beside": st.none() | st.integers(0, 2), "owner": st.integers(0, 2)}
)


@given(fields, fields)
def test_equality_is_that_of_attrs(one, other):
    assert (Place(**one) == Place(**other)) == (OfAttrs(**one) == OfAttrs(**other))


@given(fields, fields)
def test_what_is_equal_has_one_hash(one, other):
    places = {Place(**one), Place(**other)}
    assert len(places) == len({OfAttrs(**one), OfAttrs(**other)})


@given(fields)
def test_representation_is_that_of_attrs(given_fields):
    assert repr(Place(**given_fields)) == repr(OfAttrs(**given_fields)).replace("OfAttrs", "Place")


def test_an_instance_of_another_class_is_not_equal():
    assert Place(name="a") != Town(name="a")
    assert Place(name="a") != "a"


def test_the_fields_of_a_base_count_too():
    assert Town(name="a", size=1) != Town(name="b", size=1)
    assert repr(Town(name="a", size=1)) == "Town(name='a', beside=None, size=1)"


def test_what_holds_itself_is_shown_once():
    beside = []
    place = Place(name="a", beside=beside)
    beside.append(place)
    assert repr(place) == "Place(name='a', beside=[...])"


def test_what_cannot_be_hashed_makes_its_holder_so():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Place(name="a", beside=[]))


def test_a_class_in_a_function_is_shown_by_its_own_name():
    @attrs.frozen(eq=False, repr=False)
    class Inner(Value):
        x: int

    assert repr(Inner(1)) == "Inner(x=1)"


def test_copies_are_equal():
    place = Town(name="a", beside=(1, 2), size=3)
    assert place == copy.deepcopy(place) == pickle.loads(pickle.dumps(place)) == attrs.evolve(place)


def test_it_stays_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Place(name="a").name = "b"
