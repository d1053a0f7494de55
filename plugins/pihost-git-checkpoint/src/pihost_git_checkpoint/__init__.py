"""A checkpoint of the project before each run, in git's own store, and ``/undo`` to go back to it."""

from __future__ import annotations

from pihost import ExtensionAPI
from pihost_git_checkpoint._extension import Checkpoints

__all__ = ["setup"]


def setup(api: ExtensionAPI) -> None:
    """Keep a checkpoint before each run, and offer the commands."""
    checkpoints = Checkpoints(api)
    api.on("before_agent_start", checkpoints.keep)
    api.register_command(
        "undo",
        handler=checkpoints.undo,
        description="Put the files back as they were before the last run, or before the last N",
    )
    api.register_command(
        "checkpoints", handler=checkpoints.show, description="List the checkpoints of this session"
    )
