"""The composition root: the only place that picks the real parts and puts them together.

Each name is imported from its module when it is first used: what only looks at extensions needs no session.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.host._host import Host, StartRefusedError
    from pihost.host._startup import Startup, prepare, survey

__all__ = ["Host", "StartRefusedError", "Startup", "prepare", "survey"]

_MODULES = {
    "Host": "_host",
    "StartRefusedError": "_host",
    "Startup": "_startup",
    "prepare": "_startup",
    "survey": "_startup",
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
