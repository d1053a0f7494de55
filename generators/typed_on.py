"""``pihost/extensions/_typed_on.py``: for each hook, what ``api.on`` takes, for type checkers."""

from __future__ import annotations

from collections.abc import Iterator

from pihost.hooks.hookspecs import host_specs
from pihost.hooks.specs import Spec, annotations_of

__all__ = ["typed_on"]

_HEAD = '''"""What ``api.on`` takes for each hook, for type checkers only. Made by `python3 dev.py docs` from the hookspecs."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, overload

from pihost.context import ExtensionContext, TrustContext
from pihost.events import (
{imports}
)
from pihost.extensions._handler_types import Decorator, Handler

__all__ = ["On"]


class On(Protocol):
    """``api.on``: by the hook's name, what its handlers are called with and may answer."""
'''
_TAIL = """
    @overload
    def __call__(self, event: str, handler: None = None, *, tryfirst: bool = ..., trylast: bool = ...) -> Callable[[Any], Any]: ...
    @overload
    def __call__(self, event: str, handler: Callable[..., Any], *, tryfirst: bool = ..., trylast: bool = ...) -> Callable[[], None]: ...
"""
_ONE = """
    @overload
    def __call__(self, event: Literal["{name}"], handler: None = None, *, tryfirst: bool = ..., trylast: bool = ...) -> Decorator[{types}]: ...
    @overload
    def __call__(self, event: Literal["{name}"], handler: Handler[{types}], *, tryfirst: bool = ..., trylast: bool = ...) -> Callable[[], None]: ...
"""


def typed_on() -> str:
    """The text of the module."""
    specs = list(host_specs().values())
    imports = sorted({name for spec in specs for name in (_event(spec), *_results(spec))})
    head = _HEAD.format(imports="\n".join(f"    {name}," for name in imports))
    return head + "".join(_ONE.format(name=spec.name, types=_types(spec)) for spec in specs) + _TAIL


def _types(spec: Spec) -> str:
    context = annotations_of(spec.function)["ctx"].__name__
    answer = " | ".join([*_results(spec), "None"])
    if spec.name == "before_provider_request":
        answer = "Mapping[str, Any] | None"
    return f"{_event(spec)}, {context}, {answer}"


def _event(spec: Spec) -> str:
    return str(annotations_of(spec.function)["event"].__name__)


def _results(spec: Spec) -> Iterator[str]:
    yield from (one.__name__ for one in spec.results if one.__module__.startswith("pihost."))
