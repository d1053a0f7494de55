"""The hook reference, read from the hookspecs and from nothing else."""

from __future__ import annotations

import inspect

import attrs

from pihost._values import Value
from pihost.hooks._markers import Kind
from pihost.hooks.hookspecs import host_specs
from pihost.hooks.specs import Spec, annotations_of

__all__ = ["FieldDocument", "HookDocument", "hook_documents"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FieldDocument(Value):
    """A field of a hook's event.

    Attributes:
        name: The field's name.
        type: Its type, as written.
    """

    name: str
    type: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HookDocument(Value):
    """Everything there is to say about one hook.

    Attributes:
        name: The hook's name.
        kind: How answers combine.
        summary: The first line of its documentation: when it fires.
        doc: All of its documentation.
        signature: As an author writes it.
        event: Name of the event's class.
        fields: The event's fields, in order.
        result: Names of the classes an answer may have; empty where there is no answer.
    """

    name: str
    kind: Kind
    summary: str
    doc: str
    signature: str
    event: str
    fields: tuple[FieldDocument, ...]
    result: tuple[str, ...]


def hook_documents() -> tuple[HookDocument, ...]:
    """The documents of every hook of the host's own, family by family, in source order."""
    return tuple(_document(spec) for spec in host_specs().values())


def _document(spec: Spec) -> HookDocument:
    doc = inspect.getdoc(spec.function) or ""
    event = annotations_of(spec.function)["event"]
    return HookDocument(
        name=spec.name,
        kind=spec.kind,
        summary=doc.partition("\n")[0],
        doc=doc,
        signature=f"def {spec.name}({', '.join(spec.arguments)})",
        event=event.__name__,
        fields=tuple(FieldDocument(name=f.name, type=_type_name(f.type)) for f in attrs.fields(event)),
        result=tuple(c.__name__ for c in spec.results),
    )


def _type_name(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
