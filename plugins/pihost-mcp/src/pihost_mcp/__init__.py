"""The Model Context Protocol: servers' tools for a session, and pihost's tools for other programs.

``setup`` makes it an extension, which mounts servers. The command is ``pihost mcp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost import ExtensionAPI, ExtensionContext
    from pihost.events import InputEvent, SessionStartEvent

__all__ = ["setup"]

_PROMPT_WAITS = {"print": 30.0, "json": 30.0}
_OTHERS_WAIT = 3.0
"""Seconds that a prompt waits for servers that are starting; where one prompt is all there is, longer."""


def setup(api: ExtensionAPI) -> None:
    """Mount the servers of ``mcp.json`` and those that extensions register."""
    from pihost_mcp._mounts import Mounts

    mounts = Mounts(api)
    api.mount_mcp_servers(mounts)
    api.on_close(mounts.close)

    async def wait(_event: InputEvent, ctx: ExtensionContext) -> None:
        await mounts.settled(_PROMPT_WAITS.get(ctx.mode, _OTHERS_WAIT))

    @api.on("session_start")
    def started(_event: SessionStartEvent, ctx: ExtensionContext) -> None:
        mounts.start(ctx, api.get_config_dirs())
        if mounts.running:
            api.on("input", wait)
