"""What the operating system and the interpreter keep for a whole process."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import threading
from _locale import LC_ALL, setlocale
from _signal import getsignal  # type: ignore[import-not-found]  # signal.getsignal takes ten times as long
from _socket import getdefaulttimeout, setdefaulttimeout
from typing import Any

from pihost.extensions.containment.piece import Piece, equal, whole
from pihost.extensions.event_loop import running_loop

__all__ = [
    "COLLECTOR",
    "DIRECTORY",
    "ENVIRONMENT",
    "FAULT_HANDLER",
    "LIMITS",
    "LOCALE",
    "LOOP",
    "SIGNALS",
    "SOCKETS",
    "UMASK",
]


def _directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 -- a string, as chdir takes it back
    except OSError:  # it has been removed
        return None


def _put_directory(before: str | None) -> None:
    if before is not None:
        os.chdir(before)


def _umask() -> int:
    mask = os.umask(0o077)  # it cannot be read without being set; what a thread makes meanwhile is private
    os.umask(mask)
    return mask


_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGCHLD", "SIGALRM", "SIGTSTP", "SIGWINCH")
_NUMBERS = tuple(int(getattr(signal, name)) for name in _ENDING if hasattr(signal, name))
"""What ends or stops a program, or tells it of a child or its terminal; the rest is anybody's."""


def _handlers() -> tuple[Any, ...]:
    """Nothing in a thread that may not set them."""
    return tuple(map(getsignal, _NUMBERS)) if threading.get_ident() == threading.main_thread().ident else ()


def _put_handlers(before: tuple[Any, ...]) -> str:
    changed = []
    for number, was, now in zip(_NUMBERS, before, _handlers(), strict=False):
        if was is not now and was is not None:  # no Python code could set one that is not from Python
            signal.signal(number, was)
            changed.append(signal.Signals(number).name)
    return f"the handling of {', '.join(changed)}" if changed else ""


def _collector() -> tuple[bool, tuple[int, int, int]]:
    return gc.isenabled(), gc.get_threshold()


def _put_collector(before: tuple[bool, tuple[int, int, int]]) -> str:
    """To turn it on harms nobody: it is off only while the program starts."""
    enabled, threshold = before
    harmless = gc.get_threshold() == threshold and gc.isenabled() >= enabled
    gc.set_threshold(*threshold)
    (gc.enable if enabled else gc.disable)()
    return "" if harmless else "the garbage collector"


def _limits() -> tuple[Any, ...]:
    return (
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
        sys.get_int_max_str_digits(),
        sys.dont_write_bytecode,
    )


def _put_limits(before: tuple[Any, ...]) -> None:
    recursion, interval, digits, sys.dont_write_bytecode = before
    sys.setswitchinterval(interval)
    sys.set_int_max_str_digits(digits)
    sys.setrecursionlimit(recursion)


def _policy() -> Any:
    """What makes event loops; ``None`` before there is asyncio, and where to ask is deprecated."""
    if "asyncio" not in sys.modules or sys.version_info >= (3, 14):
        return None
    import asyncio

    return asyncio.get_event_loop_policy()


def _loop() -> tuple[Any, ...]:
    loop = running_loop()
    if loop is None:
        return _policy(), None, None
    return _policy(), loop.get_exception_handler(), loop.get_task_factory()


def _put_loop(before: tuple[Any, ...]) -> str:
    """To import asyncio changes nothing: it makes a policy of the usual kind when it is asked for one."""
    now, loop = _loop(), running_loop()
    if equal(now, before) or (before[0] is None and _is_usual(now[0])):
        return ""
    policy, handler, factory = before
    if policy is not now[0]:
        import asyncio

        asyncio.set_event_loop_policy(policy)
    if loop is not None:
        loop.set_exception_handler(handler)
        loop.set_task_factory(factory)
    return "the event loop"


def _is_usual(policy: object) -> bool:
    if policy is None:
        return False
    import asyncio

    return type(policy) is asyncio.DefaultEventLoopPolicy


def _put_fault_handler(enabled: bool) -> None:  # noqa: FBT001 -- it is what was read
    (faulthandler.enable if enabled else faulthandler.disable)()


def _environment() -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Names and values as they are behind ``os.environ``, which would decode all of them."""
    encoded: dict[Any, Any] = vars(os.environ).get("_data", {})
    return tuple(encoded), tuple(encoded.values())


def _changed_environment(before: tuple[tuple[Any, ...], tuple[Any, ...]]) -> str:
    was, now = dict(zip(*before, strict=True)), dict(zip(*_environment(), strict=True))
    names = sorted({os.fsdecode(name) for name, _value in was.items() ^ now.items()})
    return f"the environment ({', '.join(names)})" if names else ""


DIRECTORY = whole("the working directory", _directory, _put_directory)
UMASK = whole("the umask", _umask, os.umask)
SIGNALS = Piece(_handlers, _put_handlers)
LOCALE = whole("the locale", lambda: setlocale(LC_ALL), lambda text: setlocale(LC_ALL, text))
LIMITS = whole("the interpreter's limits", _limits, _put_limits)
COLLECTOR = Piece(_collector, _put_collector)
LOOP = Piece(_loop, _put_loop)
SOCKETS = whole("the time limit of all sockets", getdefaulttimeout, setdefaulttimeout)
FAULT_HANDLER = whole("faulthandler", faulthandler.is_enabled, _put_fault_handler)
ENVIRONMENT = Piece(_environment, _changed_environment, stays=True)
