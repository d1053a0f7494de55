"""A session: what was said, kept in a file, and the loop in which a model answers and tools run.

Each name is imported from its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.session.errors import (
        SessionBusyError,
        SessionClosedError,
        SessionCwdError,
        SessionError,
        SessionFileError,
        SessionLockedError,
    )
    from pihost.session.store import SessionStore, read_session

__all__ = [
    "SessionBusyError",
    "SessionClosedError",
    "SessionCwdError",
    "SessionError",
    "SessionFileError",
    "SessionLockedError",
    "SessionStore",
    "read_session",
]

_MODULES = {
    "SessionBusyError": "errors",
    "SessionClosedError": "errors",
    "SessionCwdError": "errors",
    "SessionError": "errors",
    "SessionFileError": "errors",
    "SessionLockedError": "errors",
    "SessionStore": "store",
    "read_session": "store",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
