"""When a conversation is compacted: asked for, nearly full, or too long for a provider."""

from __future__ import annotations

from typing import Literal

from pihost.context import AbortSignal
from pihost.session._state import SessionState
from pihost.session.errors import CompactionError

__all__ = ["Room", "refuse_wishes"]


class Room:
    """Keeps a run's conversation within the model's window.

    Args:
        state: The session.
        signal: Ends the run.
    """

    def __init__(self, state: SessionState, signal: AbortSignal) -> None:
        self._state = state
        self._signal = signal
        self._gave_up = False

    async def make(self) -> None:
        """Compact what is wished for, and what has grown to its share of the window; before a request."""
        await self.grant()
        if self._is_full():
            self._gave_up = not await self._compacted("threshold")

    async def make_again(self) -> bool:
        """Compact a conversation that a provider finds too long; whether that could be done."""
        return not self._gave_up and await self._compacted("overflow")

    async def grant(self) -> None:
        """Compact what somebody wishes for."""
        while self._state.wishes and not self._signal.aborted:
            from pihost.session._compaction import compact

            wish = self._state.wishes.pop(0)
            try:
                entry = await compact(
                    self._state, reason="manual", signal=self._signal, instructions=wish.instructions
                )
            except CompactionError as fault:
                wish.refuse(fault)
            else:
                wish.grant(entry)

    def _is_full(self) -> bool:
        model = self._state.model
        if self._gave_up or model is None or not model.context_window:
            return False
        from pihost.session._tokens import context_tokens

        limit = self._state.parts.settings.compact_at * model.context_window
        return context_tokens(self._state.parts.store.branch()) >= limit

    async def _compacted(self, reason: Literal["threshold", "overflow"]) -> bool:
        from pihost.session._compaction import compact

        try:
            await compact(self._state, reason=reason, signal=self._signal)
        except CompactionError:  # it has been told, and the run goes on as it can
            return False
        return True


def refuse_wishes(state: SessionState) -> None:
    """Tell everybody who still waits for a compaction that none comes."""
    while state.wishes:
        state.wishes.pop(0).refuse(CompactionError("the run was ended", aborted=True))
