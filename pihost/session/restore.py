"""What a stored session was left with: the model and thinking level to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.entries import Entry, ModelChangeEntry, ThinkingLevelChangeEntry
from pihost.model import Model, ThinkingLevel
from pihost.models.registry import ModelRegistry
from pihost.session._tree import of_type

__all__ = ["restored_model", "stored_choices"]


def stored_choices(branch: Sequence[Entry]) -> tuple[tuple[str, str] | None, ThinkingLevel | None]:
    """The model, as provider and id, and the thinking level that a branch was left with."""
    model: tuple[str, str] | None = None
    level: ThinkingLevel | None = None
    for _, changed in of_type(branch, ModelChangeEntry, last_first=True):
        model = (changed.provider, changed.model_id)
        break
    for _, chosen in of_type(branch, ThinkingLevelChangeEntry, last_first=True):
        level = chosen.level
        break
    return model, level


def restored_model(branch: Sequence[Entry], models: ModelRegistry) -> Model | None:
    """The model a branch was left with, if it is still there."""
    chosen, _ = stored_choices(branch)
    return None if chosen is None else models.get(*chosen)
