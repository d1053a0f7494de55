"""Where extensions keep skills and prompt templates of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import attrs

from pihost._values import Value
from pihost.events._base import Event

__all__ = ["ResourcePaths", "ResourcesDiscoverEvent"]


def _paths(value: Iterable[str | Path]) -> tuple[Path, ...]:
    if isinstance(value, str):
        message = f"give a list of paths, not the text {value!r}"
        raise TypeError(message)
    return tuple(Path(one) for one in value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ResourcesDiscoverEvent(Event):
    """A session has started and its skills and prompt templates are about to be read.

    Attributes:
        cwd: The directory the session works in.
        reason: Whether the host starts or loads everything anew.
    """

    hook_name: ClassVar[str] = "resources_discover"
    cwd: Path
    reason: Literal["startup", "reload"] = "startup"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ResourcePaths(Value):
    """Files, and directories of files, that an extension brings. Relative ones count from the extension.

    Attributes:
        skills: Skills.
        prompts: Prompt templates.
    """

    skills: tuple[Path, ...] = attrs.field(default=(), converter=_paths)
    prompts: tuple[Path, ...] = attrs.field(default=(), converter=_paths)
