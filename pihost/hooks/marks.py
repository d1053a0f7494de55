"""Which functions of a module or instance may answer hooks, told without the hooks and without pluggy."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["HOOK_NAMES", "MARK", "PROJECT", "hookable_names", "may_answer"]

PROJECT: Final = "pihost"
"""The project name that ties pluggy's markers to its managers."""

MARK: Final = f"{PROJECT}_impl"
"""Where a function carries what ``hookimpl`` was given."""

HOOK_NAMES: Final = frozenset(
    {
        "project_trust",
        "session_start",
        "session_shutdown",
        "session_info_changed",
        "model_select",
        "thinking_level_select",
        "input",
        "session_before_switch",
        "session_before_fork",
        "session_before_tree",
        "session_tree",
        "session_before_compact",
        "session_compact",
        "session_compact_failed",
        "resources_discover",
        "before_agent_start",
        "agent_start",
        "turn_start",
        "turn_end",
        "agent_end",
        "agent_before_settle",
        "agent_settled",
        "context",
        "context_with_system",
        "before_provider_headers",
        "before_provider_request",
        "after_provider_response",
        "provider_stream_event",
        "message_start",
        "message_update",
        "message_end",
        "tool_call",
        "tool_call_final",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "tool_result",
        "user_bash",
        "mcp_servers_change",
        "ui_prompt_start",
        "ui_prompt_end",
    }
)
"""The names of the host's own hooks, for whoever needs no more of them."""

_HOOKABLE = (types.MethodType, staticmethod, classmethod)


def hookable_names(plugin: object) -> Iterator[str]:
    """Names of every function that may be marked, in the order they were written down.

    Args:
        plugin: A module or instance; nothing of it is evaluated.
    """
    layers: list[Mapping[str, object]] = []
    if not isinstance(plugin, types.ModuleType):
        layers.extend(vars(cls) for cls in reversed(type(plugin).__mro__))
    layers.append(getattr(plugin, "__dict__", {}))
    # A plain function carries its mark itself; of the others, pluggy knows where to look.
    names = {
        name: None
        for layer in layers
        for name, value in layer.items()
        if (hasattr(value, MARK) if type(value) is types.FunctionType else isinstance(value, _HOOKABLE))
    }
    return iter(names)


def may_answer(plugin: object) -> bool:
    """Whether there is anything for a hook table to look at: what may be marked, or is named like a hook.

    Args:
        plugin: A module or instance.
    """
    return any(hookable_names(plugin)) or not HOOK_NAMES.isdisjoint(getattr(plugin, "__dict__", ()))
