"""The guard's word on a tool call."""

from __future__ import annotations

import re

import attrs

from pihost import ExtensionContext
from pihost.events import ToolCallFinalEvent, ToolCallResult
from pihost_guard._commands import compile_patterns, find_destructive
from pihost_guard._paths import covering_pattern
from pihost_guard._rules import Rule, first_rule

__all__ = ["Guard", "GuardConfig"]

_SHELLS = frozenset({"bash", "powershell"})
_READERS = frozenset({"read", "grep", "find", "ls"})


@attrs.frozen(kw_only=True)
class GuardConfig:
    """The table ``[extension.pihost-guard]`` of the settings.

    Attributes:
        rules: What to do about calls, by tool and pattern. The first that fits decides, before all the rest.
        read_only: Patterns of paths that no tool may change.
        ask_before: Regular expressions of further commands to ask about.
        allow: Commands that run without a question, word for word.
    """

    rules: tuple[Rule, ...] = ()
    read_only: tuple[str, ...] = ()
    ask_before: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


class Guard:
    """Decides on tool calls.

    Args:
        config: What the user set.

    Raises:
        ValueError: ``ask_before`` has something that is no regular expression.
    """

    def __init__(self, config: GuardConfig) -> None:
        self._config = config
        try:
            self._patterns = compile_patterns(config.ask_before)
        except re.error as fault:
            message = f"ask_before: {fault.pattern!r} is no regular expression: {fault}"
            raise ValueError(message) from fault

    async def check(self, event: ToolCallFinalEvent, ctx: ExtensionContext) -> ToolCallResult | None:
        """Do what the first rule that fits says.

        Without one, block what would change a read-only path, and a destructive command that the user does
        not approve.
        """
        rule = first_rule(self._config.rules, event.tool_name, event.input, ctx.cwd)
        if rule is not None:
            return await self._obey(rule, event, ctx)
        if event.tool_name in _SHELLS:
            return await self._check_command(str(event.input.get("command", "")), ctx)
        path = event.input.get("path")
        if event.tool_name not in _READERS and isinstance(path, str):
            return self._check_path(path, ctx)
        return None

    async def _obey(
        self, rule: Rule, event: ToolCallFinalEvent, ctx: ExtensionContext
    ) -> ToolCallResult | None:
        if rule.action == "allow":
            return None
        subject = _subject(event)
        if rule.action == "deny":
            return _refusal(f"The user's rules deny {subject!r} ({rule.tool} {rule.pattern}).")
        if not ctx.has_ui:
            return _refusal(f"The user's rules ask before {subject!r}, and nobody is here to ask.")
        if await ctx.ui.confirm(
            f"Your rules ask before this call of {event.tool_name}:", f"{subject}\nRun it?"
        ):
            return None
        return _refusal(f"The user refused {subject!r}.")

    async def _check_command(self, command: str, ctx: ExtensionContext) -> ToolCallResult | None:
        if command.strip() in self._config.allow:
            return None
        found = find_destructive(command, self._patterns)
        if found is None:
            return None
        if not ctx.has_ui:
            reason = (
                f"{found!r} looks destructive and nobody is here to ask. "
                "Use a way that loses nothing, or have the user allow the command in their settings."
            )
            return _refusal(reason)
        if await ctx.ui.confirm("This command looks destructive:", f"{command}\nRun it?"):
            return None
        return _refusal(f"The user refused {found!r}.")

    def _check_path(self, path: str, ctx: ExtensionContext) -> ToolCallResult | None:
        pattern = covering_pattern(path, self._config.read_only, ctx.cwd)
        if pattern is None:
            return None
        return _refusal(f"{path} is read-only here: the user's settings say {pattern!r}.")


def _refusal(reason: str) -> ToolCallResult:
    return ToolCallResult(block=True, reason=reason)


def _subject(event: ToolCallFinalEvent) -> str:
    """What a call is about, as a user would say it."""
    value = event.input.get("command", event.input.get("path"))
    return value if isinstance(value, str) else f"{event.tool_name} {dict(event.input)}"
