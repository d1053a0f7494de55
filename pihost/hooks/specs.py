"""Hookspecs as records: what a hook's declaration says, read once."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from pihost._values import Value
from pihost.hooks._markers import KIND_ATTRIBUTE, Kind
from pihost.hooks.marks import PROJECT

__all__ = ["EVENT_ARGUMENTS", "Spec", "read_spec"]

EVENT_ARGUMENTS = ("event", "ctx")
"""What every hook of the host's own is called with."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Spec(Value):
    """A hook as declared.

    Attributes:
        name: The hook's name.
        kind: How answers combine.
        arguments: Names of the arguments, in order.
        results: Classes whose instances are answers; empty where anything but ``None`` is.
        function: The declaration itself.
        owner: Id of the extension that declared it; ``None`` for the host's own.
        deprecated: What whoever answers it is warned with.
    """

    name: str
    kind: Kind
    arguments: tuple[str, ...]
    results: tuple[type, ...]
    function: Callable[..., Any] = attrs.field(repr=False)
    owner: str | None = None
    deprecated: str | None = None


def read_spec(function: Callable[..., Any], owner: str | None = None) -> Spec:
    """The record of a function marked with ``hookspec``.

    Args:
        function: The declaration.
        owner: See ``Spec``.
    """
    code = function.__code__
    warning = getattr(function, f"{PROJECT}_spec")["warn_on_impl"]
    return Spec(
        name=function.__name__,
        kind=getattr(function, KIND_ATTRIBUTE),
        arguments=code.co_varnames[: code.co_argcount],
        results=_classes(annotations_of(function).get("return")),
        function=function,
        owner=owner,
        deprecated=None if warning is None else str(warning),
    )


def annotations_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The function's annotations as objects; those as written where a name in them is not at hand."""
    try:
        return inspect.get_annotations(function, eval_str=True)
    except Exception:  # noqa: BLE001 -- other people's annotations may raise anything; they are documentation
        return inspect.get_annotations(function)


def _classes(annotation: object) -> tuple[type, ...]:
    """The classes named by ``A | B | None``; none where the annotation says nothing that can be checked."""
    members = typing.get_args(annotation) if _is_union(annotation) else (annotation,)
    classes = [typing.get_origin(member) or member for member in members if member is not types.NoneType]
    if any(not isinstance(c, type) or c is object for c in classes):
        return ()
    return tuple(c for c in classes if isinstance(c, type))


def _is_union(annotation: object) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)
