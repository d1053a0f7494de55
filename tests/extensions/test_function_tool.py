"""Tools made of plain functions."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import msgspec
import pytest

from pihost.content import ImageContent, ToolResult
from pihost.extensions._function_tool import as_result, function_tool
from pihost.extensions.registrations import RegistrationError
from pihost.tools import ToolAnnotations


def make(function, *, name=None, description=None, **fields):
    return function_tool("acme", function, name=name, description=description, fields=fields)


async def run(function, arguments, ctx=None):
    tool = make(function)
    return await tool.execute("call", tool.schema.validate(arguments), ctx)


def repeat(text: str, times: int = 2, *, mode: Literal["join", "list"] = "join") -> Any:
    """Repeat a text.

    As often as you like.
    """
    return text * times if mode == "join" else [text] * times


def test_name_description_and_parameters_come_from_the_function():
    tool = make(repeat)
    assert (tool.name, tool.description) == ("repeat", "Repeat a text.\n\nAs often as you like.")
    schema = tool.schema.json_schema
    assert schema["type"] == "object"
    assert schema["required"] == ["text"]
    assert schema["properties"]["times"] == {"type": "integer", "default": 2}
    assert sorted(schema["properties"]["mode"]["enum"]) == ["join", "list"]


def test_what_is_said_outranks_the_function():
    annotations = ToolAnnotations(read_only=True)
    tool = make(repeat, name="again", description="Say it again", label="Again", annotations=annotations)
    assert (tool.name, tool.description, tool.label) == ("again", "Say it again", "Again")
    assert tool.annotations is annotations


async def test_arguments_arrive_with_their_defaults():
    assert (await run(repeat, {"text": "ab"})).text == "abab"
    assert (await run(repeat, {"text": "a", "times": 3, "mode": "list"})).structured_content == ["a"] * 3


async def test_the_context_is_no_argument_of_the_tool():
    def where(ctx, path: str) -> str:
        """Say where."""
        return f"{ctx}/{path}"

    assert list(make(where).schema.json_schema["properties"]) == ["path"]
    assert (await run(where, {"path": "x"}, ctx="here")).text == "here/x"


async def test_a_plain_function_runs_in_place_and_an_async_one_is_awaited():
    async def later(n: int) -> int:
        """Add one."""
        return n + 1

    assert (await run(later, {"n": 1})).structured_content == 2


async def test_a_function_without_parameters_takes_none():
    def ping() -> str:
        """Ping."""
        return "pong"

    assert (await run(ping, {})).text == "pong"


async def test_a_parameter_may_begin_with_an_underscore():
    def hidden(_text: str) -> str:
        """Say it."""
        return _text

    assert (await run(hidden, {"_text": "x"})).text == "x"


def test_what_an_annotation_says_besides_is_in_the_schema():
    def limited(n: Annotated[int, msgspec.Meta(ge=1, description="How many")]) -> str:
        """Count."""
        return str(n)

    assert make(limited).schema.json_schema["properties"]["n"] == {
        "type": "integer",
        "minimum": 1,
        "description": "How many",
    }


@dataclass
class Point:
    x: int


@attrs.frozen
class Place:
    name: str
    path: Path


@pytest.mark.parametrize(
    ("value", "structured"),
    [
        ({"a": [1, None]}, {"a": [1, None]}),
        (Point(3), {"x": 3}),
        (Place("home", Path("a/b")), {"name": "home", "path": "a/b"}),
        (None, None),
        (True, True),
        ("\ud800" and ["\ud800"], ["\ud800"]),
    ],
)
def test_any_other_value_becomes_json_text_and_structured_content(value, structured):
    result = as_result(value)
    assert json.loads(result.text) == structured
    assert result.structured_content == structured


def test_text_stays_text_and_a_result_stays_what_it_is():
    picture = ToolResult(content=[ImageContent(data="", mime_type="image/png")])
    assert as_result(picture) is picture
    assert (as_result("plain").text, as_result("plain").structured_content) == ("plain", None)


def test_a_value_without_a_json_form_says_so():
    with pytest.raises(TypeError, match="object has no JSON form"):
        as_result(object())


def star(*texts: str): ...
def stars(**texts: str): ...
def only_positional(text: str, /): ...
def unannotated(text): ...
def unreadable(text: "NoSuchType"): ...  # noqa: F821 -- the point


@pytest.mark.parametrize(
    ("function", "fields", "message"),
    [
        (star, {}, "tool 'star' cannot take *texts: str: arguments come by name"),
        (stars, {}, "tool 'stars' cannot take **texts: str: arguments come by name"),
        (only_positional, {}, "tool 'only_positional' cannot take text: str: arguments come by name"),
        (unannotated, {}, "needs an annotation for its parameter 'text', which is the argument's type"),
        (unreadable, {}, "has annotations that cannot be read: name 'NoSuchType' is not defined"),
        (repeat, {"labell": "x"}, "tool 'repeat' has no field 'labell' (did you mean 'label'?)"),
        (repeat, {"zzz": 1}, "has no field 'zzz'; there are: label, prompt_snippet"),
        (5, {}, "tool needs a function, not int"),
    ],
)
def test_what_cannot_be_a_tool_says_why(function, fields, message):
    with pytest.raises(RegistrationError) as caught:
        make(function, **fields)
    assert str(caught.value).startswith("Extension 'acme': ")
    assert message in str(caught.value)
