"""The ``edit`` tool: exact replacements in a file, all of them or none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.tools._parameters import EditParameters
from pihost.tools._threads import run_to_end
from pihost.tools.editing.edit_bytes import EditedFile, edit_bytes
from pihost.tools.failure import ToolFailedError, file_failure
from pihost.tools.schema import ArgumentFault, ToolArgumentsError
from pihost.tools.tool_path import resolve_tool_path
from pihost.tools.writing.atomic import replace_file
from pihost.tools.writing.mutation_queue import file_mutation_queue

__all__ = ["EditDetails", "edit_file", "prepare_arguments"]

_FLAT = ("old_text", "new_text")

_LARGEST_PATCH = 1 << 20
"""Characters; a longer one, as that of a huge one-line file, would swell every session it is kept in."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EditDetails(Value):
    """Besides the text of ``edit``.

    Attributes:
        patch: A unified diff; ``None`` where it would have over a million characters, since a part of one
            cannot be applied.
        diff: Changed lines and some around them with line numbers, for a person's screen.
        first_changed_line: Number of the first line that differs, from 1.
    """

    patch: str | None
    diff: str
    first_changed_line: int


async def edit_file(cwd: Path, params: EditParameters, *, lock_dir: Path | None = None) -> ToolResult:
    """Carry out a call of ``edit``.

    Args:
        cwd: Where relative paths start.
        params: The call's arguments.
        lock_dir: As in ``file_mutation_queue``.

    Raises:
        EditError: the edits do not fit the file.
        ToolFailedError: it cannot be done.
    """
    path = resolve_tool_path(cwd, params.path, for_read=True)
    try:
        async with file_mutation_queue(path, lock_dir=lock_dir):
            details = await run_to_end(lambda: _edit(path, params))
    except (OSError, ValueError) as fault:
        raise file_failure("edit", params.path, fault) from fault
    count = len(params.edits)
    blocks = "1 block" if count == 1 else f"{count} blocks"
    return ToolResult.from_text(f"Replaced {blocks} in {params.path}.", details=details)


def _edit(path: Path, params: EditParameters) -> EditDetails:
    # A pipe would be waited for without end, and what comes out of a device is no text to go back into it.
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ToolFailedError(f"Cannot edit {params.path}: it is a device, pipe or socket, not a file.")
    edited: EditedFile = edit_bytes(path.read_bytes(), params.edits, path=params.path)
    replace_file(path, edited.data)
    patch = edited.patch
    return EditDetails(
        patch=patch if len(patch) <= _LARGEST_PATCH else None,
        diff=edited.diff,
        first_changed_line=edited.first_changed_line,
    )


def prepare_arguments(arguments: Any) -> Any:
    """Bring the shapes that models send besides the right one into it."""
    if not isinstance(arguments, Mapping):
        return arguments
    prepared = dict(arguments)
    if isinstance(prepared.get("edits"), str):
        prepared["edits"] = _parsed(prepared["edits"])
    if isinstance(prepared.get("edits"), Mapping):
        prepared["edits"] = [prepared["edits"]]
    if all(isinstance(prepared.get(name), str) for name in _FLAT):
        flat = {name: prepared.pop(name) for name in _FLAT}
        edits = prepared.get("edits") or []
        prepared["edits"] = [*edits, flat] if isinstance(edits, list) else edits
    return prepared


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        expected = f"expected an array of {{old_text, new_text}}; this string is not even JSON ({fault})"
        raise ToolArgumentsError((ArgumentFault("$.edits", expected),)) from fault
