import pickle
import subprocess
import sys

import pytest

from pihost.tools.registry import (
    UnknownToolError,
    all_tool_names,
    create_all_tool_definitions,
    create_coding_tool_definitions,
    create_read_only_tool_definitions,
    create_tool_definition,
)


def names(definitions):
    return [definition.name for definition in definitions]


def test_the_names_of_the_house():
    assert all_tool_names == ("read", "bash", "powershell", "edit", "write", "grep", "find", "ls")


def test_every_tool_can_be_made_and_described(tmp_path):
    for name, tool in create_all_tool_definitions(tmp_path).items():
        assert tool.name == name
        assert tool.description
        assert tool.schema.json_schema["additionalProperties"] is False
        properties = tool.schema.json_schema["properties"].values()
        assert all("description" in prop or "anyOf" in prop for prop in properties)


def test_the_sets(tmp_path):
    assert names(create_coding_tool_definitions(tmp_path)) == ["read", "bash", "edit", "write"]
    assert names(create_read_only_tool_definitions(tmp_path)) == ["read", "grep", "find", "ls"]


def test_the_tools_active_by_default(tmp_path):
    every = create_all_tool_definitions(tmp_path).values()
    assert {tool.name for tool in every if tool.default_active} == {"read", "bash", "edit", "write"}


def test_the_read_only_tools_say_so(tmp_path):
    assert all(tool.annotations.read_only for tool in create_read_only_tool_definitions(tmp_path))


def test_an_unknown_name_is_an_error_with_the_known_ones(tmp_path):
    with pytest.raises(UnknownToolError, match="'reed'; there are: read, bash") as caught:
        create_tool_definition("reed", tmp_path)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_making_one_tool_does_not_import_the_others():
    code = (
        "import sys; from pihost.tools import create_tool_definition; create_tool_definition('ls', '.');"
        "print(sorted({'read', 'bash', 'edit', 'grep'} & {m.rpartition('.')[2] for m in sys.modules"
        " if m.startswith('pihost.tools.')}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
