"""Rules of the user's own: for each tool and pattern, whether a call is allowed, asked about, or denied."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import attrs

from pihost_guard._paths import covering_pattern

__all__ = ["Rule", "first_rule"]

_SHELLS = frozenset({"bash", "powershell"})
_OPERATORS = re.compile(r"&&|\|\||[;&|\n]|\$\(|[`()<>]")
"""What joins commands, or runs one within another."""


@attrs.frozen(kw_only=True)
class Rule:
    """One rule.

    Attributes:
        action: What happens to a call that fits.
        tool: Pattern of the tool's name.
        pattern: Pattern of the command, of the path, or else of the arguments as JSON. ``*``, ``?`` and
            ``[…]`` are wildcards.
    """

    action: Literal["allow", "ask", "deny"]
    tool: str = "*"
    pattern: str = "*"

    def fits(self, tool: str, arguments: Mapping[str, Any], cwd: Path) -> bool:
        """Whether the rule is about this call.

        Args:
            tool: The tool's name.
            arguments: What it is called with.
            cwd: What relative paths count from.
        """
        if not fnmatchcase(tool, self.tool):
            return False
        if tool in _SHELLS:
            return self._fits_command(str(arguments.get("command", "")).strip())
        path = arguments.get("path")
        if isinstance(path, str):
            return self.pattern == "*" or covering_pattern(path, (self.pattern,), cwd) is not None
        return fnmatchcase(json.dumps(dict(arguments), sort_keys=True, default=str), self.pattern)

    def _fits_command(self, command: str) -> bool:
        """To be allowed, all of a command must fit, and it must be one; for the rest any part is enough."""
        if self.pattern in (command, "*"):
            return True
        parts = [part.strip() for part in _OPERATORS.split(command)]
        if self.action == "allow":
            return len(parts) == 1 and fnmatchcase(command, self.pattern)
        return any(fnmatchcase(part, self.pattern) for part in (command, *parts))


def first_rule(rules: Iterable[Rule], tool: str, arguments: Mapping[str, Any], cwd: Path) -> Rule | None:
    """The first rule that fits a call; ``None`` where none does.

    Args:
        rules: In the user's order.
        tool: The tool's name.
        arguments: What it is called with.
        cwd: What relative paths count from.
    """
    return next((rule for rule in rules if rule.fits(tool, arguments, cwd)), None)
