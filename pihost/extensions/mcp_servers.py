"""MCP servers: which ones extensions want, who runs them, and how they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pihost.diagnostics import ExtensionError
from pihost.extensions.faults import error_of, passes_through
from pihost.extensions.listeners import Listeners

if TYPE_CHECKING:
    from pihost.events import McpServerInfo
    from pihost.extensions.mcp_registration import McpMounter, RegisteredMcpServer
    from pihost.extensions.registry import Registry

__all__ = ["McpServers"]

_NOBODY = "no extension runs MCP servers; pihost-mcp does"


class McpServers:
    """The MCP servers of a runtime.

    Args:
        registry: What the extensions have registered.
        report: Takes a failure of the mounter.
    """

    def __init__(self, registry: Registry, report: Callable[[ExtensionError], None]) -> None:
        self._registry = registry
        self._report = report
        self._mounter: McpMounter | None = None
        self._mounted: dict[str, RegisteredMcpServer] = {}
        self._told: Listeners[[]] = Listeners()
        self._known: tuple[McpServerInfo, ...] = ()
        self._running = False
        self.extension: str | None = None

    def use(self, extension: str, mounter: McpMounter) -> None:
        """Let a mounter run the servers.

        Args:
            extension: Id of the extension it comes from.
            mounter: The mounter.
        """
        self.extension, self._mounter, self._mounted = extension, mounter, {}
        if self._running:
            self.run()

    def drop(self, extension: str) -> None:
        """Forget the mounter of an extension, if it is that one's."""
        if self.extension == extension:
            self.extension, self._mounter, self._mounted, self._known = None, None, {}, ()

    def run(self) -> None:
        """Have every server run that is registered: the extensions are bound."""
        self._running = True
        for name in self._registry.mcp_servers():
            self.changed(name)

    def changed(self, name: str) -> None:
        """Have that one of the name run that counts now; before the extensions are bound, nothing does."""
        mounter = self._mounter
        if mounter is None or not self._running:
            return
        wanted, mounted = self._registry.mcp_servers().get(name), self._mounted.pop(name, None)
        if wanted is not None:
            self._mounted[name] = wanted
        if wanted == mounted:
            return
        if mounted is not None:
            self._guarded(lambda: mounter.unmount(name))
        if wanted is not None:
            self._guarded(lambda: mounter.mount(wanted))

    def set(self, servers: Iterable[McpServerInfo]) -> bool:
        """Say how they stand.

        Returns:
            Whether anything is otherwise than before.
        """
        before, self._known = self._known, tuple(servers)
        if before == self._known:
            return False
        self._told.tell()
        return True

    def listed(self) -> list[McpServerInfo]:
        """How each of them stands."""
        if self._mounter is not None:
            return list(self._known)
        from pihost.events import McpServerInfo

        return [
            McpServerInfo(name=name, state="stopped", error=_NOBODY, source=server.extension)
            for name, server in self._registry.mcp_servers().items()
        ]

    async def settled(self, seconds: float) -> bool:
        """Wait until none of them is starting.

        Args:
            seconds: How long at most.

        Returns:
            Whether that came in time.
        """
        import asyncio

        changed = asyncio.Event()
        remove = self._told.add(changed.set)
        try:
            async with asyncio.timeout(seconds):
                while any(server.state == "starting" for server in self._known):
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            return False
        finally:
            remove()
        return True

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as fault:
            if passes_through(fault):
                raise
            self._report(error_of(self.extension or "", "mount_mcp_servers", fault))
