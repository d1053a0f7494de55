"""When checkpoints are kept, and what the commands do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from pihost import ExtensionAPI, ExtensionContext
from pihost.events import BeforeAgentStartEvent
from pihost.extensions import CommandContext
from pihost_git_checkpoint._git import GitError, Snapshots

__all__ = ["Checkpoints"]

_LONGEST_LINE = 60
_SECONDS = 60.0


@attrs.frozen
class _Checkpoint:
    commit: str
    prompt: str


class Checkpoints:
    """The checkpoints of one session.

    Args:
        api: Runs git.
    """

    def __init__(self, api: ExtensionAPI) -> None:
        self._api = api
        self._kept: list[_Checkpoint] = []

    async def keep(self, event: BeforeAgentStartEvent, ctx: ExtensionContext) -> None:
        """Keep a checkpoint before a run. Where there is no repository, there is nothing to keep."""
        prompt = " ".join(event.prompt.split())[:_LONGEST_LINE]
        ref = f"refs/pihost/{ctx.session.id}/{len(self._kept) + 1}"
        try:
            commit = await self._snapshots(ctx).take(ref, f"Before: {prompt}")
        except GitError as fault:
            if "not a git repository" not in str(fault):
                ctx.ui.notify(f"No checkpoint was kept: {fault}", "warning")
            return
        self._kept.append(_Checkpoint(commit, prompt))

    async def undo(self, arguments: str, ctx: CommandContext) -> None:
        """Put the files back; what they were is kept, so that this can be undone too."""
        count = arguments.strip() or "1"
        if not count.isdecimal() or not 1 <= int(count) <= len(self._kept):
            ctx.ui.notify(
                f"There are {len(self._kept)} checkpoints; /undo takes a number up to that", "error"
            )
            return
        await ctx.wait_for_idle()
        chosen = self._kept[-int(count)]
        snapshots = self._snapshots(ctx)
        try:
            now = await snapshots.take(f"refs/pihost/{ctx.session.id}/undone", f"Undone: {chosen.prompt}")
            changed = await snapshots.restore(chosen.commit)
        except GitError as fault:
            ctx.ui.notify(f"Nothing was undone: {fault}", "error")
            return
        del self._kept[-int(count) :]
        files = "1 file is" if len(changed) == 1 else f"{len(changed)} files are"
        ctx.ui.notify(f"{files} as before {chosen.prompt!r}. What they were: git show {now[:12]}")

    def show(self, _arguments: str, ctx: CommandContext) -> None:
        """List the checkpoints, the latest first."""
        lines = [
            f"{number}. {one.commit[:12]} before {one.prompt!r}"
            for number, one in enumerate(reversed(self._kept), 1)
        ]
        ctx.ui.notify("\n".join(lines) or "There are no checkpoints yet")

    def _snapshots(self, ctx: ExtensionContext) -> Snapshots:
        async def run(words: Sequence[str], cwd: Path) -> Any:
            return await self._api.exec(words, cwd=cwd, timeout=_SECONDS)

        return Snapshots(run, ctx.cwd)
