"""What value classes have in common: equality, hash and representation, all by their fields."""

from __future__ import annotations

import reprlib
from typing import Any, ClassVar

import attrs

__all__ = ["Value"]


class Value:
    """The base of a frozen attrs class whose instances are equal where their fields are.

    attrs would write these three methods for each class and compile them at import, which is half of what
    making a class takes, and a start makes more than a hundred. Therefore such a class says
    ``eq=False, repr=False`` to attrs and derives from this. The same words of a field mean what they always
    do.
    """

    __slots__ = ()
    __attrs_attrs__: ClassVar[Any]

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _compared(self))

    def __hash__(self) -> int:
        return hash((self.__class__, *[getattr(self, name) for name in _compared(self)]))

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        shown = [field.name for field in attrs.fields(self.__class__) if field.repr]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__.rpartition('>.')[2]}({fields})"


def _compared(value: Value) -> list[str]:
    return [field.name for field in attrs.fields(value.__class__) if field.eq]
