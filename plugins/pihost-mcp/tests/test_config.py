"""Reading ``mcp.json``."""

import json

import pytest
from pihost_mcp._config import read_servers, server_config
from pihost_mcp._errors import ConfigError


def entry(**values):
    return server_config("x", values, source="here")


def test_a_program_and_a_url_are_read_with_their_defaults():
    program = entry(command="serve", args=["-v"], env={"A": "1"}, cwd="sub", type="stdio")
    assert (program.command, program.args, program.env, program.cwd) == ("serve", ("-v",), {"A": "1"}, "sub")
    url = entry(url="https://example.com/mcp", headers={"x-team": "$TEAM"}, type="http", timeout=5)
    assert (url.url, url.headers, url.timeout) == ("https://example.com/mcp", {"x-team": "$TEAM"}, 5)
    assert (program.timeout, program.start_timeout, program.disabled) == (300.0, 30.0, False)
    assert (program.fault, url.fault) == (None, None)


def test_its_representation_shows_neither_variables_nor_headers():
    shown = repr(entry(command="x", env={"A": "s3cret"})) + repr(
        entry(url="http://x", headers={"A": "s3cret"})
    )
    assert "s3cret" not in shown


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({}, 'needs a "command" or a "url", and not both'),
        ({"command": "x", "url": "http://x"}, 'needs a "command" or a "url", and not both'),
        ({"command": ""}, "'command' must be a text that is not empty"),
        ({"command": ["x"]}, "'command' must be a text that is not empty"),
        ({"command": "a\0b"}, "'command' must be a text that is not empty"),
        ({"command": "x", "args": "-v"}, "'args' must be a list of texts"),
        ({"command": "x", "args": [1]}, "'args' must be a list of texts"),
        ({"command": "x", "env": {"A": 1}}, "'env' must be an object whose values are texts"),
        ({"command": "x", "timeout": 0}, "'timeout' must be a number of seconds above 0"),
        ({"command": "x", "timeout": True}, "'timeout' must be a number of seconds above 0"),
        (
            {"command": "x", "start_timeout": float("inf")},
            "'start_timeout' must be a number of seconds above 0",
        ),
        ({"command": "x", "disabled": "yes"}, "'disabled' must be true or false"),
        ({"url": "ftp://x"}, '"url" must begin with http:// or https://'),
        ({"url": "http://x", "type": "sse"}, "\"type\" must be 'http' where there is a \"url\", not 'sse'"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(values, fault):
    assert entry(**values).fault == fault


def test_every_fault_of_an_entry_is_said_at_once():
    fault = entry(command=1, args=1).fault
    assert fault == "'command' must be a text that is not empty; 'args' must be a list of texts"


def test_an_entry_that_is_no_object_is_a_fault():
    assert server_config("x", "serve", source="here").fault == "must be an object, not str"


def test_a_disabled_one_need_not_say_how_it_is_reached():
    assert (entry(disabled=True).fault, entry(disabled=True).disabled) == (None, True)


def test_unknown_keys_are_kept_to_be_told():
    assert entry(command="x", comand="y", type="stdio").ignored == ("comand",)


def test_a_file_names_servers_and_a_byte_order_mark_does_no_harm(tmp_path):
    file = tmp_path / "mcp.json"
    text = json.dumps({"mcpServers": {"a": {"command": "x"}, "b": {"url": "http://x"}}})
    file.write_text(text, "utf-8-sig")
    servers = read_servers(file)
    assert {name: server.source for name, server in servers.items()} == {"a": str(file), "b": str(file)}


@pytest.mark.parametrize("text", ["{}", '{"mcpServers": {}}'])
def test_a_file_may_name_none(tmp_path, text):
    file = tmp_path / "mcp.json"
    file.write_text(text)
    assert read_servers(file) == read_servers(tmp_path / "nothing") == {}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "cannot be read"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", 'must be an object with the key "mcpServers"'),
        (b'{"servers": {}}', 'must be an object with the key "mcpServers"'),
        (b'{"mcpServers": []}', 'must be an object with the key "mcpServers"'),
    ],
)
def test_a_file_that_is_something_else_is_named(tmp_path, data, problem):
    file = tmp_path / "mcp.json"
    file.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        read_servers(file)
    assert str(caught.value).startswith(f"{file}: {problem}")
