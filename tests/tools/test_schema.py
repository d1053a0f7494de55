import json
import pickle
from typing import Annotated, Any

import attrs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.tools.schema import ArgumentFault, ToolArgumentsError, ToolSchemaError, parameter_schema


@attrs.frozen(kw_only=True)
class Change:
    """One change.

    More about it.
    """

    old: str
    new: str


@attrs.frozen(kw_only=True)
class Parameters:
    path: Annotated[str, msgspec.Meta(description="The file")]
    offset: Annotated[int, msgspec.Meta(ge=1)] | None = None
    changes: list[Change] = attrs.field(factory=list)
    by_name: dict[str, Change] = attrs.field(factory=dict)
    one: Change | None = None
    title: str = ""


@attrs.frozen
class Tree:
    children: "list[Tree]" = attrs.field(factory=list)


def faults_of(parameters: Any, arguments: Any) -> list[tuple[str, str]]:
    with pytest.raises(ToolArgumentsError) as caught:
        parameter_schema(parameters).validate(arguments)
    return [(fault.path, fault.expected) for fault in caught.value.faults]


def test_a_class_is_written_out_without_references():
    schema = parameter_schema(Parameters).json_schema
    assert "$" not in json.dumps(schema)
    assert schema["properties"]["changes"]["items"]["required"] == ["old", "new"]


def test_every_object_of_a_class_is_closed_and_untitled():
    schema = parameter_schema(Parameters).json_schema
    change = schema["properties"]["changes"]["items"]
    assert (schema["additionalProperties"], change["additionalProperties"]) == (False, False)
    assert "title" not in schema
    assert "title" in schema["properties"]


def test_descriptions_are_kept_and_a_docstring_gives_its_first_paragraph():
    properties = parameter_schema(Parameters).json_schema["properties"]
    assert properties["path"]["description"] == "The file"
    assert properties["changes"]["items"]["description"] == "One change."


def test_a_class_that_contains_itself_keeps_its_definition():
    schema = parameter_schema(Tree)
    assert schema.json_schema["$defs"]["Tree"]["additionalProperties"] is False
    assert schema.validate({"children": [{}]}) == Tree([Tree()])
    assert faults_of(Tree, {"children": [{"x": 1}]})[0][0] == "$.children[0].x"


def test_good_arguments_become_an_instance():
    value = parameter_schema(Parameters).validate({"path": "a", "changes": [{"old": "x", "new": "y"}]})
    assert value == Parameters(path="a", changes=[Change(old="x", new="y")])


@pytest.mark.parametrize(
    ("arguments", "path", "expected"),
    [
        ({}, "$.path", "required, but missing"),
        ({"path": 3}, "$.path", "Expected str, got int"),
        ({"path": "a", "offset": 0}, "$.offset", "Expected int >= 1 (a number at least 1)"),
        ({"path": "a", "offset": "3"}, "$.offset", "Expected int | null, got str (a number at least 1)"),
        ({"path": "a", "changes": [{"old": ""}]}, "$.changes[0].new", "required, but missing"),
        ({"path": "a", "zzz": 1}, "$.zzz", "unknown; known are: path, offset, changes, by_name, one, title"),
        ([], "$", "Expected object, got array"),
        ("path", "$", "Expected object, got str"),
    ],
)
def test_a_fault_has_its_path_and_what_was_expected(arguments, path, expected):
    assert faults_of(Parameters, arguments) == [(path, expected)]


def test_an_unknown_key_is_told_together_with_the_one_it_stands_for():
    assert faults_of(Parameters, {"pathh": "a"}) == [
        ("$.pathh", "unknown (did you mean 'path'?)"),
        ("$.path", "required, but missing"),
    ]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"path": "a", "changes": [{"old": "", "new": "", "nw": ""}]}, "$.changes[0].nw"),
        ({"path": "a", "by_name": {"k": {"old": "", "new": "", "nw": ""}}}, "$.by_name.k.nw"),
        ({"path": "a", "one": {"old": "", "new": "", "nw": ""}}, "$.one.nw"),
    ],
)
def test_an_unknown_key_is_found_at_any_depth(arguments, path):
    assert faults_of(Parameters, arguments) == [(path, "unknown (did you mean 'new'?)")]


def test_an_attrs_validator_counts():
    @attrs.frozen
    class Even:
        n: int = attrs.field()

        @n.validator
        def _even(self, attribute, value):
            if value % 2:
                raise ValueError("n must be even")

    assert faults_of(Even, {"n": 3}) == [("$", "n must be even")]


def test_a_class_made_at_run_time_works():
    made = attrs.make_class("Made", {"n": attrs.field(type=int), "m": attrs.field(type=str, default="")})
    assert parameter_schema(made).validate({"n": 1}).n == 1


RAW = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "name": {"type": "string"}},
    "patternProperties": {"^x-": {}},
    "required": ["n"],
    "additionalProperties": False,
}


def test_a_raw_schema_hands_on_the_dict():
    schema = parameter_schema(RAW)
    assert schema.json_schema == RAW
    assert schema.validate({"n": 1, "x-y": 2}) == {"n": 1, "x-y": 2}


def test_faults_of_a_raw_schema_have_paths_and_near_names():
    assert faults_of(RAW, {"n": "1", "nme": "", "x-a": 1}) == [
        ("$.nme", "unknown (did you mean 'name'?)"),
        ("$.n", "'1' is not of type 'integer'"),
    ]


def test_a_raw_schema_that_is_none_is_an_error_of_the_tool():
    with pytest.raises(ToolSchemaError, match="JSON Schema"):
        parameter_schema({"type": "obj"}).validate({})


def test_a_reference_to_elsewhere_is_never_fetched():
    with pytest.raises(ToolSchemaError, match="leads nowhere"):
        parameter_schema({"$ref": "http://127.0.0.1:9/schema.json"}).validate({})


@pytest.mark.parametrize("parameters", [int, "x", None, 3])
def test_other_things_are_no_parameters(parameters):
    with pytest.raises(ToolSchemaError, match="expected an attrs class or a JSON Schema"):
        parameter_schema(parameters)


def test_a_field_json_cannot_express_is_an_error_that_names_the_class():
    @attrs.frozen
    class Odd:
        z: complex

    with pytest.raises(ToolSchemaError, match="Odd"):
        parameter_schema(Odd)


def test_errors_pickle():
    error = ToolArgumentsError((ArgumentFault("$.a", "unknown"),))
    assert str(pickle.loads(pickle.dumps(error))) == "- $.a: unknown"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["path", "old", "one", "zz"]), inner),
    max_leaves=8,
)


@given(json_values)
def test_whatever_is_sent_is_taken_or_refused_with_faults(arguments):
    faults, value = (), None
    try:
        value = parameter_schema(Parameters).validate(arguments)
    except ToolArgumentsError as error:
        faults = error.faults
    assert bool(faults) is not isinstance(value, Parameters)
    if value is not None:
        assert set(arguments) <= {field.name for field in attrs.fields(Parameters)}


def test_bounds_are_told_however_deep_the_number_is():
    @attrs.frozen
    class Step:
        size: Annotated[int, msgspec.Meta(gt=0, lt=9)]

    @attrs.frozen
    class Plan:
        steps: list[Step]

    assert faults_of(Plan, {"steps": [{"size": 1}, {"size": "2"}]}) == [
        ("$.steps[1].size", "Expected int, got str (a number above 0, below 9)")
    ]
