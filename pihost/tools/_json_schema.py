"""Walks over JSON Schemas: writing references out, closing objects, finding keys nobody named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["bounds_at", "closed_schema", "unknown_keys"]

_VALUES = frozenset({"default", "enum", "const", "examples"})
_PREFIX = "#/$defs/"
_STEP = re.compile(r"\.(?P<key>\w+)|\[")
_BOUNDS = {
    "exclusiveMinimum": "above",
    "minimum": "at least",
    "exclusiveMaximum": "below",
    "maximum": "at most",
}

UnknownKey = tuple[str, str, tuple[str, ...]]
"""Path of the object, the key, the keys it may have."""


def closed_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without references, whose objects take no further keys.

    Only a class that contains itself keeps its definition, since it cannot be written out.

    Args:
        schema: As msgspec makes it: a reference into ``$defs``.
    """
    writer = _Writer(schema.get("$defs", {}))
    root = writer.write({key: value for key, value in schema.items() if key != "$defs"})
    kept: dict[str, Any] = {}
    while writer.recursive - kept.keys():
        name = min(writer.recursive - kept.keys())
        kept[name] = writer.write(writer.definitions[name], (name,))
    return {**root, "$defs": kept} if kept else dict(root)


class _Writer:
    """Writes references out in place and notes the definitions that lead back to themselves."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self.recursive: set[str] = set()

    def write(self, node: Any, inside: tuple[str, ...] = ()) -> Any:
        if isinstance(node, list):
            return [self.write(item, inside) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return self._reference(node, inside)
        walked = {key: self._member(key, value, inside) for key, value in node.items()}
        return _closed(walked) if "properties" in walked else walked

    def _reference(self, node: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
        name = node["$ref"].removeprefix(_PREFIX)
        if name in inside:
            self.recursive.add(name)
            return dict(node)
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return {**self.write(self.definitions[name], (*inside, name)), **beside}

    def _member(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key in _VALUES:
            return value
        if key == "properties":
            return {name: self.write(each, inside) for name, each in value.items()}
        return self.write(value, inside)


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    """An object of a class: no title, the first paragraph of its docstring, no further keys."""
    node = {key: value for key, value in node.items() if key != "title"}
    if "description" in node:
        node["description"] = " ".join(node["description"].split("\n\n")[0].split())
    return {**node, "additionalProperties": False}


def unknown_keys(schema: Mapping[str, Any], value: Any) -> list[UnknownKey]:
    """The keys of ``value``, however deep, that its schema does not name.

    Args:
        schema: As ``closed_schema`` makes it.
        value: What is looked through.
    """
    return list(_unknown(schema, value, "$", schema.get("$defs", {})))


def _unknown(schema: Any, value: Any, path: str, definitions: Mapping[str, Any]) -> Iterator[UnknownKey]:
    if not isinstance(schema, Mapping) or not isinstance(value, Mapping | list | tuple):
        return
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix(_PREFIX)]
    if "anyOf" in schema:
        yield from _fewest(schema["anyOf"], value, path, definitions)
    elif isinstance(value, Mapping):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        if other is False:
            yield from ((path, str(key), tuple(known)) for key in value if key not in known)
        for key, item in value.items():
            yield from _unknown(known.get(key, other), item, f"{path}.{key}", definitions)
    else:
        for index, item in enumerate(value):
            yield from _unknown(schema.get("items"), item, f"{path}[{index}]", definitions)


def _fewest(
    branches: Iterable[Mapping[str, Any]], value: Any, path: str, definitions: Mapping[str, Any]
) -> list[UnknownKey]:
    """What the branch that fits ``value`` best has to say."""
    kind = "object" if isinstance(value, Mapping) else "array"
    fitting = [branch for branch in branches if "$ref" in branch or branch.get("type") == kind]
    found = [list(_unknown(branch, value, path, definitions)) for branch in fitting]
    return min(found, key=len, default=[])


def bounds_at(schema: Mapping[str, Any], path: str) -> str:
    """The bounds of the number at a path, such as ``"above 0, at most 60"``; empty where there are none.

    Args:
        schema: As ``closed_schema`` makes it.
        path: Such as ``$.edits[0].count``.
    """
    node = _not_null(schema)
    for step in _STEP.finditer(path):
        key = step["key"]
        node = _not_null(node.get("items", {}) if key is None else node.get("properties", {}).get(key, {}))
    return ", ".join(f"{word} {node[key]}" for key, word in _BOUNDS.items() if key in node)


def _not_null(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one thing besides null that a node allows, if it is one."""
    others = [branch for branch in node.get("anyOf", ()) if branch.get("type") != "null"]
    return others[0] if len(others) == 1 else node
