"""What a stored session was left with: the model and thinking level to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.entries import Entry, ModelChangeEntry, ThinkingLevelChangeEntry
from pihost.model import Model, ThinkingLevel
from pihost.models.registry import ModelRegistry

__all__ = ["restored_model", "stored_choices"]


def stored_choices(branch: Sequence[Entry]) -> tuple[tuple[str, str] | None, ThinkingLevel | None]:
    """The model, as provider and id, and the thinking level that a branch was left with."""
    model: tuple[str, str] | None = None
    level: ThinkingLevel | None = None
    for entry in branch:
        if isinstance(entry, ModelChangeEntry):
            model = (entry.provider, entry.model_id)
        elif isinstance(entry, ThinkingLevelChangeEntry):
            level = entry.level
    return model, level


def restored_model(branch: Sequence[Entry], models: ModelRegistry) -> Model | None:
    """The model a branch was left with, if it is still there."""
    chosen, _ = stored_choices(branch)
    return None if chosen is None else models.get(*chosen)
