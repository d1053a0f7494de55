"""Rpc mode: commands come as lines of JSON, and responses, events and questions go back as such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pihost.modes.rpc._connection import Connection, Limits
from pihost.modes.rpc._ui import RpcUI
from pihost.modes.rpc.source import own_input

if TYPE_CHECKING:
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["RpcMode", "own_input"]

_LIMITS = Limits()


class RpcMode:
    """Serves one client until it closes its end, an extension asks for the end, or the process is to stop.

    Attributes:
        ui: How extensions speak with the user; for the host that is to be followed.

    Args:
        source: Descriptor of what the client says.
        target: Descriptor of what the client hears.
        limits: How much of the client's is kept.
    """

    def __init__(self, source: int, target: int, limits: Limits = _LIMITS) -> None:
        self._source = source
        self._target = target
        self._limits = limits
        self._connection: Connection | None = None
        self.ui = RpcUI()

    def follow(self, host: Host) -> None:
        """Listen to the client and show it the events of ``host`` from now on; before its session starts."""
        self._connection = Connection(
            host, self.ui, source=self._source, target=self._target, limits=self._limits
        )

    async def run(self, host: Host, prompts: Sequence[Prompt]) -> int:
        """Serve the client.

        Args:
            host: The host that is followed, its session started.
            prompts: What to say before the client says anything.

        Returns:
            0.

        Raises:
            OSError: what the client is to hear cannot be written.
        """
        for prompt in prompts:
            await host.session.follow_up(prompt.text, images=prompt.images)
        if self._connection is not None:
            await self._connection.serve()
        return 0

    def leave(self) -> None:
        """Wait for no answer of the client's any more."""
        self.ui.close()

    def finish(self) -> None:
        """Write what the end of the session has brought, once the host is closed."""
        if self._connection is not None:
            self._connection.close()
