"""The checks of a registration, made at the call so that the traceback points at the extension's own line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pihost.extensions.mcp_registration import RegisteredMcpServer
from pihost.extensions.registrations import (
    FlagType,
    RegisteredCommand,
    RegisteredFlag,
    RegisteredTool,
    RegistrationError,
)

__all__ = [
    "check_callable",
    "check_command",
    "check_flag",
    "check_mcp_server",
    "check_name",
    "check_tool",
]

_FLAG_TYPES: dict[FlagType, type] = {"boolean": bool, "string": str}


def check_name(extension: str, what: str, name: object) -> str:
    """The name, if it is one that a person can type.

    Args:
        extension: Id of the extension.
        what: What the name is for, such as ``"command"``.
        name: The name.

    Raises:
        RegistrationError: it is empty, holds white space, or is no string.
    """
    if not isinstance(name, str):
        raise RegistrationError(extension, what, f"needs a string as its name, not {type(name).__name__}")
    if name.split() != [name]:
        raise RegistrationError(extension, what, f"needs a name without white space, not {name!r}")
    return name


def check_callable(extension: str, subject: str, role: str, function: object) -> None:
    """Make sure that what is to be called can be.

    Raises:
        RegistrationError: it cannot.
    """
    if not callable(function):
        raise RegistrationError(extension, subject, f"needs a callable {role}, not {type(function).__name__}")


def check_tool(tool: RegisteredTool) -> None:
    """Make sure that a tool has a name, a description, something to run and an object schema.

    Raises:
        RegistrationError: it lacks one of them.
    """
    from pihost.tools.definition import ToolDefinition
    from pihost.tools.schema import ToolSchemaError

    definition: Any = tool.definition
    if not isinstance(definition, ToolDefinition):
        kind = type(definition).__name__
        raise RegistrationError(tool.extension, "tool", f"needs to be a ToolDefinition, not {kind}")
    name = check_name(tool.extension, "tool", definition.name)
    subject = f"tool {name!r}"
    description: Any = definition.description
    if not isinstance(description, str) or not description.strip():
        raise RegistrationError(tool.extension, subject, "needs a description, which the model chooses it by")
    check_callable(tool.extension, subject, "execute", definition.execute)
    try:
        schema = definition.schema.json_schema
    except ToolSchemaError as fault:
        raise RegistrationError(tool.extension, subject, f"has unusable parameters: {fault}") from fault
    if schema.get("type") != "object":
        kind = repr(schema.get("type"))
        problem = f'needs parameters of type "object", since arguments have names; its schema says {kind}'
        raise RegistrationError(tool.extension, subject, problem)


def check_command(command: RegisteredCommand) -> None:
    """Make sure that a command can be typed and run.

    Raises:
        RegistrationError: it cannot.
    """
    name = check_name(command.extension, "command", command.name)
    if name.startswith("/"):
        problem = f"is registered without the slash that calls it: {name.lstrip('/')!r}"
        raise RegistrationError(command.extension, f"command {name!r}", problem)
    check_callable(command.extension, f"command {name!r}", "handler", command.handler)
    if command.complete is not None:
        check_callable(command.extension, f"command {name!r}", "complete", command.complete)


def check_flag(flag: RegisteredFlag) -> None:
    """Make sure that a flag can be given and that its default has its type.

    Raises:
        RegistrationError: it cannot, or has not.
    """
    name = check_name(flag.extension, "flag", flag.name)
    subject = f"flag {name!r}"
    if name.startswith("-") or "=" in name:
        problem = "is registered without the dashes and the value that the command line gives it"
        raise RegistrationError(flag.extension, subject, problem)
    expected = _FLAG_TYPES.get(flag.type)
    if expected is None:
        problem = f'needs the type "boolean" or "string", not {flag.type!r}'
        raise RegistrationError(flag.extension, subject, problem)
    if flag.default is not None and not isinstance(flag.default, expected):
        problem = f"is of type {flag.type!r}, so its default cannot be {flag.default!r}"
        raise RegistrationError(flag.extension, subject, problem)


def check_mcp_server(server: RegisteredMcpServer) -> None:
    """Make sure that an MCP server has a name and one way to be reached. Whoever runs it checks the rest.

    Raises:
        RegistrationError: it has not.
    """
    name = check_name(server.extension, "MCP server", server.name)
    subject = f"MCP server {name!r}"
    config: Any = server.config
    if not isinstance(config, Mapping):
        problem = f"needs a mapping as its configuration, not {type(config).__name__}"
        raise RegistrationError(server.extension, subject, problem)
    if ("command" in config) == ("url" in config):
        raise RegistrationError(server.extension, subject, 'needs a "command" or a "url", and not both')
