"""Those who want to be told of something, none of whom can keep the others from hearing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

__all__ = ["Listeners"]

_P = ParamSpec("_P")


class Listeners(Generic[_P]):
    """Functions that are all called with the same arguments, in order of subscription."""

    def __init__(self) -> None:
        self._listeners: tuple[tuple[Callable[_P, object]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: Callable[_P, object]) -> Callable[[], None]:
        """Call ``listener`` from now on; the returned function ends it."""
        entry = (listener,)  # a tuple of its own: the same function added twice is two subscriptions
        self._listeners = (*self._listeners, entry)

        def remove() -> None:
            self._listeners = tuple(other for other in self._listeners if other is not entry)

        return remove

    def tell(self, *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Call all of them; one that raises is logged."""
        for (listener,) in self._listeners:
            try:
                listener(*args, **kwargs)
            except Exception:  # a listener's own code: the log has it, the others are told
                import logging

                logging.getLogger("pihost.extensions").exception("A listener failed")
