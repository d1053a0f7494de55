"""The table of everything that is shared, and what is done with the whole of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pihost.extensions.containment import imports, output, process
from pihost.extensions.containment.piece import Piece, equal

__all__ = ["PIECES", "SharedState"]

PIECES: tuple[Piece, ...] = (
    imports.PATH,
    imports.PATH_HOOKS,
    imports.FINDERS,
    imports.BUILTINS,
    output.STREAMS,
    output.HOOKS,
    output.LOGGING,
    output.WARNINGS,
    process.DIRECTORY,
    process.SIGNALS,
    process.LIMITS,
    process.COLLECTOR,
    process.LOOP,
    process.SOCKETS,
    process.LOCALE,
    process.UMASK,
    process.FAULT_HANDLER,
    process.ENVIRONMENT,
)
"""What is left out on purpose: functions for the end of the process, which the libraries that an extension
imports leave there as well, and the state of random numbers."""

_TAKES = tuple(piece.take for piece in PIECES)


def _take_all() -> tuple[Any, ...]:
    return tuple([take() for take in _TAKES])


class SharedState:
    """Everything that is shared, as it was when this was made, or after the last ``put_back``."""

    def __init__(self) -> None:
        self._values = _take_all()
        self._modules = imports.Modules()

    def put_back(self) -> tuple[list[str], list[str]]:
        """Make everything as it was. Where nothing has changed this takes a few microseconds.

        Returns:
            What had changed and has not any more, and what goes on being changed, as nouns.
        """
        found: tuple[list[str], list[str]] = ([], [])
        unchanged = equal(_take_all(), self._values)
        places = () if unchanged else imports.added_places(self._values[0])
        _put_back(self._modules.put_back, places, found)
        if not unchanged:
            for piece, value in zip(PIECES, self._values, strict=True):
                _put_back(piece.put_back, value, found, stays=piece.stays)
            self._values = _take_all()
        return found


def _put_back(
    put_back: Callable[[Any], str], before: Any, found: tuple[list[str], list[str]], *, stays: bool = False
) -> None:
    try:
        changed = put_back(before)
    except Exception as fault:  # noqa: BLE001 -- what was left there may be anything; it is told
        found[1].append(f"what cannot be undone ({type(fault).__name__}: {fault})")
    else:
        if changed:
            found[stays].append(changed)
