"""How whoever works on a run learns that the user wants it to end."""

from __future__ import annotations

__all__ = ["AbortSignal"]


class AbortSignal:
    """Tells whoever works on a run that the user wants it to end. Belongs to one event loop."""

    def __init__(self) -> None:
        import asyncio

        self._event = asyncio.Event()

    @property
    def aborted(self) -> bool:
        """Whether the run is to end."""
        return self._event.is_set()

    def abort(self) -> None:
        """Ask for the end; asking again changes nothing."""
        self._event.set()

    async def wait(self) -> None:
        """Return as soon as the run is to end."""
        await self._event.wait()
