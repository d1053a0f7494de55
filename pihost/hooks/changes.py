"""Who changed what an event lets its handlers change in place."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from pihost.hooks.handler import Handler, PlannedCall

__all__ = ["changes_noted", "noting_changes"]

_FIELDS: Mapping[str, str] = MappingProxyType({"tool_call": "input"})
"""The hooks whose changes somebody may want to know about, and what is changed."""

_names: ContextVar[list[str] | None] = ContextVar("pihost_changes", default=None)


@contextmanager
def changes_noted() -> Iterator[list[str]]:
    """While it lasts, a dispatch of this task adds the extensions that changed its event in place.

    Yields:
        Their ids, in order; one is there as often as it changed something.
    """
    names: list[str] = []
    token = _names.set(names)
    try:
        yield names
    finally:
        _names.reset(token)


def noting_changes(handler: Handler, call: PlannedCall) -> PlannedCall:
    """The call of a handler, made to note what it changes where that is asked for.

    Args:
        handler: The handler.
        call: Its function as a dispatch calls it.
    """
    field = _FIELDS.get(handler.hook)
    if field is None or handler.wrapper:
        return call
    function, _, event_only = call

    async def noted(event: Any, ctx: Any) -> Any:
        names = _names.get()
        before = None if names is None else copy.deepcopy(getattr(event, field))
        answer = function(event) if event_only else function(event, ctx)
        if inspect.isawaitable(answer):
            answer = await answer
        if names is not None and getattr(event, field) != before:
            names.append(handler.extension)
        return answer

    return noted, True, False
