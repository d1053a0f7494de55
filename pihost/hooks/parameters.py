"""What a handler wants to be called with, read from its code object and held against a hookspec."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.hooks.specs import Spec
from pihost.near import near_aside

__all__ = ["Parameters", "misfit", "place_in_source", "takes"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Parameters(Value):
    """The parameters of a hookimpl, without ``self``.

    Attributes:
        required: Positional, without a default.
        defaulted: Positional, with a default.
        needed: By keyword only, without a default.
        optional: By keyword only, with a default.
    """

    required: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Parameters:
        """Those of a function or bound method; decorators that say what they wrap are looked through."""
        inner = inspect.unwrap(function)
        bound = inspect.ismethod(function) or inspect.ismethod(inner)
        plain = getattr(inner, "__func__", inner)
        code: types.CodeType = plain.__code__
        names = code.co_varnames
        positional = names[bound : code.co_argcount]
        defaults = len(plain.__defaults__ or ())
        split = max(0, len(positional) - defaults)
        keywords = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        given = plain.__kwdefaults__ or {}
        return cls(
            required=positional[:split],
            defaulted=positional[split:],
            needed=tuple(n for n in keywords if n not in given),
            optional=tuple(n for n in keywords if n in given),
        )

    def for_call(self, arguments: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Which of a hook's arguments to hand over by position, and which by keyword."""
        known = tuple(n for n in self.defaulted if n in arguments)
        if known == self.defaulted[: len(known)]:
            positional, known = (*self.required, *known), ()
        else:
            positional = self.required
        return positional, (*known, *self.needed, *(n for n in self.optional if n in arguments))


def misfit(parameters: Parameters, spec: Spec) -> str | None:
    """Which parameter the hook cannot fill, and which arguments there are; ``None`` where all fit."""
    strange = [n for n in (*parameters.required, *parameters.needed) if n not in spec.arguments]
    if not strange:
        return None
    wrong = strange[0]
    there_are = ", ".join(spec.arguments) or "none"
    meant = near_aside(wrong, spec.arguments)
    return f"the hook {spec.name} has no argument {wrong!r}{meant}; there are: {there_are}"


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether the function can be called with so many arguments by position."""
    if isinstance(function, types.FunctionType) and not hasattr(function, "__wrapped__"):
        return _plain_takes(function, count)
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a callable written in C that does not say what it takes
        return True
    return True


def _plain_takes(function: types.FunctionType, count: int) -> bool:
    """The same from the code object, which takes a fraction of the time that a signature does."""
    code = function.__code__
    if code.co_kwonlyargcount > len(function.__kwdefaults__ or ()):
        return False
    least = code.co_argcount - len(function.__defaults__ or ())
    return least <= count and (count <= code.co_argcount or bool(code.co_flags & inspect.CO_VARARGS))


def place_in_source(name: str, function: Callable[..., Any]) -> str:
    """The function's name, file and line, as far as it has them."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return name
    return f"{name} ({Path(code.co_filename).name}, line {code.co_firstlineno})"
