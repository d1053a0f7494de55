"""Entries of ``mcp.json``: which servers there are and how each is reached."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from pihost_mcp._errors import ConfigError

__all__ = ["FILE_NAME", "ServerConfig", "read_servers", "server_config"]

FILE_NAME = "mcp.json"
"""What the file is called, in the user's directory and in a project's."""


@attrs.frozen(kw_only=True)
class ServerConfig:
    """How an MCP server is reached: by running a program, or at a URL. Texts may name variables.

    Attributes:
        name: Its name.
        source: The file, or the id of the extension, that it comes from.
        command: The program; ``None`` where there is a URL.
        args: The program's arguments.
        env: Variables it gets besides those that every server gets.
        cwd: Where it runs; ``None`` is the session's directory.
        url: Where it is served over streamable HTTP; ``None`` where there is a program.
        headers: Headers of every request.
        disabled: Whether it is not to be used.
        timeout: Seconds that a call may go without an answer or a word of progress.
        start_timeout: Seconds that it may take to start and to list its tools.
        ignored: Keys that mean nothing here.
        fault: What is wrong with the entry; such a server is not used.
    """

    name: str
    source: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    disabled: bool = False
    timeout: float = 300.0
    start_timeout: float = 30.0
    ignored: tuple[str, ...] = ()
    fault: str | None = None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(text, str) and "\0" not in text for text in value
    )


def _is_mapping(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and all(isinstance(key, str) for key in value)
        and _is_texts([*value.values()])
    )


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "command": (_is_text, "a text that is not empty"),
    "args": (_is_texts, "a list of texts"),
    "env": (_is_mapping, "an object whose values are texts"),
    "cwd": (_is_text, "a text that is not empty"),
    "url": (_is_text, "a text that is not empty"),
    "headers": (_is_mapping, "an object whose values are texts"),
    "disabled": (lambda value: isinstance(value, bool), "true or false"),
    "timeout": (_is_seconds, "a number of seconds above 0"),
    "start_timeout": (_is_seconds, "a number of seconds above 0"),
}
_TYPES = {"command": ("stdio",), "url": ("http", "streamable-http", "streamable_http", "streamableHttp")}


def server_config(name: str, entry: object, *, source: str) -> ServerConfig:
    """What an entry says.

    Args:
        name: The server's name.
        entry: The value under that name.
        source: Where it comes from, for people.

    Returns:
        The server, with a ``fault`` where the entry does not say how it is reached, or a value is of
        another type.
    """
    if not isinstance(entry, Mapping):
        return ServerConfig(name=name, source=source, fault=f"must be an object, not {type(entry).__name__}")
    problems = [
        f"{key!r} must be {wanted}"
        for key, (fits, wanted) in _KEYS.items()
        if key in entry and not fits(entry[key])
    ]
    if not problems and not entry.get("disabled"):
        problems = list(_unreachable(entry))
    if problems:
        return ServerConfig(name=name, source=source, fault="; ".join(problems))
    known: dict[str, Any] = {key: entry[key] for key in _KEYS if key in entry}
    if "args" in known:
        known["args"] = tuple(known["args"])
    ignored = tuple(str(key) for key in entry if key not in {*_KEYS, "type"})
    return ServerConfig(name=name, source=source, ignored=ignored, **known)


def _unreachable(entry: Mapping[str, Any]) -> Iterator[str]:
    if ("command" in entry) == ("url" in entry):
        yield 'needs a "command" or a "url", and not both'
        return
    way = "command" if "command" in entry else "url"
    if entry.get("type", _TYPES[way][0]) not in _TYPES[way]:
        yield f'"type" must be {_TYPES[way][0]!r} where there is a "{way}", not {entry["type"]!r}'
    if way == "url" and not str(entry["url"]).startswith(("http://", "https://", "$")):
        yield '"url" must begin with http:// or https://'


def read_servers(file: Path) -> dict[str, ServerConfig]:
    """The servers that a file names.

    Args:
        file: An ``mcp.json``. Where there is none, there are no servers.

    Raises:
        ConfigError: the file cannot be read, or is something else.
    """
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(str(file), f"cannot be read: {fault}") from fault
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise ConfigError(str(file), f"is not JSON: {fault}") from fault
    servers = value.get("mcpServers", {}) if isinstance(value, dict) else None
    if not isinstance(servers, dict) or (value and "mcpServers" not in value):
        raise ConfigError(
            str(file), 'must be an object with the key "mcpServers", an object of servers by name'
        )
    return {name: server_config(name, entry, source=str(file)) for name, entry in servers.items()}
