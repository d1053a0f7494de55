"""An extension's own settings against the class that it brings."""

import pickle
from typing import Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.extensions._own_config import ExtensionConfigError, structure_config


@attrs.frozen
class Server:
    url: str
    retries: int = 3


@attrs.frozen
class Config:
    servers: list[Server] = attrs.field(factory=list)
    on: bool = False
    level: Literal["low", "high"] = "low"
    wait: float = 1.0
    note: str | None = None
    limits: dict[str, int] = attrs.field(factory=dict)
    kind: str = attrs.field(default="a", validator=attrs.validators.in_(["a", "b"]))
    share: float = attrs.field(default=0.5, validator=attrs.validators.le(1.0))


def faults_of(table):
    with pytest.raises(ExtensionConfigError) as caught:
        structure_config("acme", table, Config)
    return list(caught.value.faults)


def test_what_is_not_said_has_its_default():
    assert structure_config("acme", {}, Config) == Config()


def test_tables_and_lists_become_instances():
    table = {"servers": [{"url": "https://example.com"}], "wait": 3, "note": "x", "limits": {"a": 1}}
    assert structure_config("acme", table, Config) == Config(
        servers=[Server("https://example.com")], wait=3.0, note="x", limits={"a": 1}
    )


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"on": "no"}, "expected bool, not 'no' @ extension.acme.on"),
        ({"on": 1}, "expected bool, not 1 @ extension.acme.on"),
        ({"wait": True}, "expected float, not True @ extension.acme.wait"),
        ({"level": "mid"}, "expected one of 'low', 'high' @ extension.acme.level"),
        ({"note": 5}, "expected str, not 5 @ extension.acme.note"),
        ({"limits": {"a": "b"}}, "expected int, not 'b' @ extension.acme.limits['a']"),
        ({"servers": [{}]}, "'url' is required, but missing @ extension.acme.servers[0].url"),
        ({"servers": [7]}, "expected Server @ extension.acme.servers[0]"),
        ({"share": 2.0}, "'share' must be <= 1.0: 2.0 @ extension.acme"),
        ({"kind": "x"}, "'kind' must be in ['a', 'b'] (got 'x') @ extension.acme"),
        ({"sever": []}, "unknown 'sever' (did you mean 'servers'?) @ extension.acme"),
        ({"zzz": []}, "unknown 'zzz' @ extension.acme"),
    ],
)
def test_a_fault_says_what_and_where(table, fault):
    assert faults_of(table) == [fault]


def test_every_fault_is_told_at_once():
    assert len(faults_of({"on": 1, "level": 2, "servers": [{"url": 1, "x": 2}]})) == 4


def test_the_error_names_the_extension_and_where_to_mend_it():
    error = ExtensionConfigError("acme", ("one @ a", "two @ b"))
    assert str(error) == "Settings of extension 'acme': one @ a; two @ b"
    assert error.hint == "Mend [extension.acme] in the settings."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([f.name for f in attrs.fields(Config)]) | st.text(), _VALUES, max_size=5)
)
def test_any_table_gives_an_instance_or_faults_with_places(table):
    assert isinstance(outcome(table), Config) or all(" @ extension.acme" in fault for fault in outcome(table))


def outcome(table):
    try:
        return structure_config("acme", table, Config)
    except ExtensionConfigError as error:
        return error.faults or ("no fault was named",)
