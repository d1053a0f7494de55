"""The tools there are, each made, and imported, when it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import attrs

from pihost.errors import PihostError
from pihost.tools._programs import find_program
from pihost.tools.definition import ToolDefinition

__all__ = [
    "ToolSettings",
    "UnknownToolError",
    "all_tool_names",
    "create_all_tool_definitions",
    "create_coding_tool_definitions",
    "create_read_only_tool_definitions",
    "create_tool_definition",
]

all_tool_names = ("read", "bash", "powershell", "edit", "write", "grep", "find", "ls")
"""The names of the tools of the house."""


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


@attrs.frozen(kw_only=True)
class ToolSettings:
    """What a host decides for the tools.

    Attributes:
        lock_dir: Directory of the locks that keep other processes off a file being changed; ``None`` is no
            such locks.
        shell: The shell that ``bash`` runs instead of the one found.
        output_fallback_dir: Where long output is kept if the temporary directory is refused.
    """

    lock_dir: Path | None = None
    shell: str | None = None
    output_fallback_dir: Path | None = None


def _read(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.read import create_read_tool

    return create_read_tool(cwd)


def _write(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.write import create_write_tool

    return create_write_tool(cwd, lock_dir=settings.lock_dir)


def _edit(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.edit import create_edit_tool

    return create_edit_tool(cwd, lock_dir=settings.lock_dir)


def _ls(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.ls import create_ls_tool

    return create_ls_tool(cwd)


def _grep(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.grep import create_grep_tool

    return create_grep_tool(cwd)


def _find(cwd: Path, _settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.find import create_find_tool

    return create_find_tool(cwd)


def _bash(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.bash import create_bash_tool

    return create_bash_tool(
        cwd,
        shell=settings.shell,
        output_fallback_dir=settings.output_fallback_dir,
        default_active=_shell_name() == "bash",
    )


def _powershell(cwd: Path, settings: ToolSettings) -> ToolDefinition:
    from pihost.tools.powershell import create_powershell_tool

    return create_powershell_tool(
        cwd,
        output_fallback_dir=settings.output_fallback_dir,
        default_active=_shell_name() == "powershell",
    )


_MAKERS: Mapping[str, Callable[[Path, ToolSettings], ToolDefinition]] = MappingProxyType(
    {
        "read": _read,
        "bash": _bash,
        "powershell": _powershell,
        "edit": _edit,
        "write": _write,
        "grep": _grep,
        "find": _find,
        "ls": _ls,
    }
)


def _shell_name() -> str:
    """The shell a model gets unasked: PowerShell only on a Windows without bash."""
    return "powershell" if sys.platform == "win32" and find_program("bash") is None else "bash"


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
    names = ("read", _shell_name(), "edit", "write")
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
