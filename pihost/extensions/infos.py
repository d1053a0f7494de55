"""Tools and commands as an extension is shown them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from pihost._values import Value

__all__ = ["CommandInfo", "ToolInfo"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolInfo(Value):
    """A tool as ``get_all_tools`` shows it.

    Attributes:
        name: How the model calls it.
        description: What it does.
        parameters: JSON Schema of its arguments.
        extension: Id of the extension it comes from; ``None`` for a built-in one.
        active: Whether it is offered to the model now.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    extension: str | None
    active: bool


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CommandInfo(Value):
    """A command as ``get_commands`` shows it.

    Attributes:
        name: What follows the slash.
        description: What it does.
        extension: Id of the extension it comes from; ``None`` for one of the host's own or a template.
    """

    name: str
    description: str
    extension: str | None
