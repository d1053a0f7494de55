"""The tools there are, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pihost.errors import PihostError
from pihost.tools._definitions import (
    ToolSettings,
    bash_tool,
    edit_tool,
    find_tool,
    grep_tool,
    ls_tool,
    powershell_tool,
    read_tool,
    shell_name,
    write_tool,
)
from pihost.tools.definition import ToolDefinition
from pihost.tools.names import all_tool_names

__all__ = [
    "ToolSettings",
    "UnknownToolError",
    "create_all_tool_definitions",
    "create_coding_tool_definitions",
    "create_read_only_tool_definitions",
    "create_tool_definition",
]


class UnknownToolError(PihostError):
    """There is no tool of that name.

    Attributes:
        name: The name asked for.
        known: The names there are.
    """

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"There is no tool {self.name!r}; there are: {', '.join(self.known)}."


_MAKERS: Mapping[str, Callable[[Path, ToolSettings], ToolDefinition]] = MappingProxyType(
    {
        "read": read_tool,
        "bash": bash_tool,
        "powershell": powershell_tool,
        "edit": edit_tool,
        "write": write_tool,
        "grep": grep_tool,
        "find": find_tool,
        "ls": ls_tool,
    }
)


def create_tool_definition(
    name: str, cwd: str | Path, *, settings: ToolSettings | None = None
) -> ToolDefinition:
    """One tool of the house.

    Args:
        name: One of ``all_tool_names``.
        cwd: The directory it works in.
        settings: The host's decisions.

    Raises:
        UnknownToolError: there is none of that name.
    """
    maker = _MAKERS.get(name)
    if maker is None:
        raise UnknownToolError(name, all_tool_names)
    return maker(Path(cwd), settings or ToolSettings())


def create_coding_tool_definitions(
    cwd: str | Path, *, settings: ToolSettings | None = None
) -> list[ToolDefinition]:
    """The tools a model gets unasked: read, bash (or powershell), edit, write.

    Args:
        cwd: The directory they work in.
        settings: The host's decisions.
    """
    names = ("read", shell_name(), "edit", "write")
    return [create_tool_definition(name, cwd, settings=settings) for name in names]


def create_read_only_tool_definitions(
    cwd: str | Path, *, settings: ToolSettings | None = None
) -> list[ToolDefinition]:
    """The tools that change nothing: read, grep, find, ls.

    Args:
        cwd: The directory they work in.
        settings: The host's decisions.
    """
    names = ("read", "grep", "find", "ls")
    return [create_tool_definition(name, cwd, settings=settings) for name in names]


def create_all_tool_definitions(
    cwd: str | Path, *, settings: ToolSettings | None = None
) -> dict[str, ToolDefinition]:
    """Every tool of the house, by name.

    Args:
        cwd: The directory they work in.
        settings: The host's decisions.
    """
    return {name: create_tool_definition(name, cwd, settings=settings) for name in all_tool_names}
