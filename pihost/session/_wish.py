"""A compaction that somebody waits for."""

from __future__ import annotations

import asyncio

import attrs

from pihost.entries import CompactionEntry
from pihost.session.errors import CompactionError

__all__ = ["Wish"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Wish:
    """Somebody wants the conversation compacted before the next request.

    Attributes:
        instructions: What they said about the summary.
        outcome: Takes what came of it; ``None`` where nobody waits.
    """

    instructions: str | None = None
    outcome: asyncio.Future[CompactionEntry] | None = None

    def grant(self, entry: CompactionEntry) -> None:
        """Tell whoever waits what was stored."""
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(entry)

    def refuse(self, fault: CompactionError) -> None:
        """Tell whoever waits that nothing comes of it."""
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_exception(fault)
