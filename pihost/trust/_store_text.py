"""The trust store's file: a JSON object from directories to decisions. Anything else in it is a fault."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value

__all__ = ["Decision", "StoreTextError", "format_store", "parse_store"]

_DIGEST = r"sha256:[0-9a-f]{64}"


class StoreTextError(ValueError):
    """The text is no trust store; the message says why."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Decision(Value):
    """What is stored for one directory.

    Attributes:
        trusted: The decision.
        digest: The digest of what was approved, if the approval is bound to it.
    """

    trusted: bool
    digest: str | None = None


def parse_store(data: bytes) -> dict[str, Decision | None]:
    """Every directory of the file, by the name it has there; ``None`` where there is no decision.

    Raises:
        StoreTextError: it is not JSON, not an object, or holds another name or value than it may.
    """
    try:
        values = json.loads(data.decode("utf-8"), object_pairs_hook=_object)
    except StoreTextError:
        raise
    except RecursionError:
        raise StoreTextError("it is nested too deeply") from None
    except ValueError as fault:  # bad UTF-8, bad JSON, a number of too many digits
        raise StoreTextError(f"it is not JSON in UTF-8 ({fault})") from None
    if not isinstance(values, dict):
        raise StoreTextError(f"it must hold an object, not {_kind(values)}")
    return {_directory(name): _decision(name, value) for name, value in values.items()}


def format_store(decisions: Mapping[str, Decision | None]) -> bytes:
    """The file that holds ``decisions``, directories in order."""
    values = {name: _value(decision) for name, decision in decisions.items()}
    return (json.dumps(values, indent=2, sort_keys=True) + "\n").encode("ascii")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two decisions under one name, neither may be the one that counts."""
    values = dict(pairs)
    if len(values) != len(pairs):
        twice = next(name for name in values if [one for one, _ in pairs].count(name) > 1)
        raise StoreTextError(f"{twice!r} is there twice")
    return values


def _directory(name: str) -> str:
    """A name that no lookup meets, such as one that ends with a slash, would be a decision that is lost."""
    if not Path(name).is_absolute() or os.path.normpath(name) != name or "\0" in name:
        raise StoreTextError(f"{name!r} is not a full path without '.', '..' and a slash at its end")
    return name


def _decision(name: str, value: Any) -> Decision | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return Decision(trusted=value)
    if isinstance(value, dict) and value.keys() == {"decision", "digest"} and value["decision"] is True:
        digest = value["digest"]
        if isinstance(digest, str) and re.fullmatch(_DIGEST, digest):
            return Decision(trusted=True, digest=digest)
    wanted = 'true, false, null or {"decision": true, "digest": "sha256:<hex>"}'
    raise StoreTextError(f"the value of {name!r} must be {wanted}, not {_kind(value)}")


def _value(decision: Decision | None) -> object:
    if decision is None or decision.digest is None:
        return None if decision is None else decision.trusted
    return {"decision": decision.trusted, "digest": decision.digest}


def _kind(value: Any) -> str:
    names = {
        list: "a list",
        dict: "another object",
        str: "a string",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")
