"""Registrations one over the other: under each key the latest counts, and each can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["Layers"]

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


class Layers(Generic[_Key, _Item]):
    """What is registered under each key. The keys come in the order in which each was first used."""

    def __init__(self) -> None:
        self._layers: dict[_Key, dict[object, _Item]] = {}

    def __contains__(self, key: _Key) -> bool:
        return key in self._layers

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._layers)

    def get(self, key: _Key) -> _Item | None:
        """What counts under ``key``, or ``None`` where there is nothing."""
        layers = self._layers.get(key)
        return None if layers is None else next(reversed(layers.values()))

    def items(self) -> Iterator[tuple[_Key, _Item]]:
        """Each key with what counts under it."""
        for key, layers in self._layers.items():
            yield key, next(reversed(layers.values()))

    def add(self, key: _Key, item: _Item) -> Callable[[], None]:
        """Put ``item`` over what is there.

        Returns:
            A function that takes this one away, whatever stands over it by then; doing it again changes
            nothing.
        """
        own = object()
        layers = self._layers.setdefault(key, {})
        layers[own] = item

        def take_back() -> None:
            layers.pop(own, None)
            if not layers and self._layers.get(key) is layers:
                del self._layers[key]

        return take_back
