"""How deep data from outside may be nested: what goes through it level by level needs a bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["DEEPEST", "is_too_deep"]

DEEPEST = 100
"""Levels of mappings, lists and tuples. Copying one takes several frames of the stack."""


def is_too_deep(value: Any) -> bool:
    """Whether ``value`` has more than ``DEEPEST`` levels, as one that holds itself has."""
    level = _containers([value])
    for _ in range(DEEPEST):
        if not level:
            return False
        level = _containers(item for one in level for item in _items(one))
    return bool(level)


def _containers(values: Iterable[Any]) -> list[Any]:
    """Those that hold others, each once: what is held in many places is looked at in one."""
    found = (value for value in values if isinstance(value, dict | list | tuple | Mapping))
    return list({id(value): value for value in found}.values())


def _items(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, Mapping) else container
