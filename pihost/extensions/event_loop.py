"""Loading with an event loop that is started only where something needs one.

To import asyncio takes longer than to load dozens of extensions, and most of them only register.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

__all__ = ["others_turn", "run_to_end", "running_loop"]

_T = TypeVar("_T")


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that runs in this thread; without asyncio there can be none, and it is not imported."""
    if "asyncio" not in sys.modules:
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@types.coroutine
def others_turn() -> Generator[None, None, None]:
    """Let others run, as ``asyncio.sleep(0)`` does; a cancellation arrives here.

    Under ``run_to_end``, an event loop runs afterwards in any case.
    """
    yield


def run_to_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Run ``work``, from where it first waits for something on in an event loop, and before without.

    Args:
        work: What to run; it takes it upon itself to wait where it needs a loop.

    Returns:
        What it returns.
    """
    try:
        work.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    import asyncio

    return asyncio.run(_rest(work))


async def _rest(work: Coroutine[Any, Any, _T]) -> _T:
    return await _going_on(work)


@types.coroutine
def _going_on(work: Coroutine[Any, Any, _T]) -> Generator[Any, Any, _T]:
    """What is awaited from its beginning may not have begun; this may."""
    result: _T = yield from work
    return result
