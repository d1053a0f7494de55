"""Which parts of the API may be used while an extension loads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

__all__ = ["LOAD_TIME", "LoadTimeRule"]

LoadTimeRule = Literal["legal", "raises"]
"""``legal`` works from the first line of ``setup``; ``raises`` waits for ``ExtensionRunner.bind_core``."""

_LEGAL = """
    on register_tool unregister_tool tool register_command register_flag get_flag add_hookspecs
    register_provider register_native_provider register_virtual_model register_api
    unregister_provider unregister_virtual_model
    register_mcp_server unregister_mcp_server mount_mcp_servers
    get_config on_close call_soon exec events log data_dir version
"""

_RAISES = """
    send_message send_user_message append_entry set_label get_session_name set_session_name
    get_active_tools get_all_tools set_active_tools get_commands get_settings
    set_model get_thinking_level set_thinking_level hook create_task
    get_mcp_servers set_mcp_servers get_config_dirs
"""

_RULES: dict[str, LoadTimeRule] = {
    **dict.fromkeys(_LEGAL.split(), "legal"),
    **dict.fromkeys(_RAISES.split(), "raises"),
}

LOAD_TIME: Final[Mapping[str, LoadTimeRule]] = MappingProxyType(_RULES)
"""The rule for every public attribute of ``ExtensionAPI``; what is missing here is not part of the API."""
