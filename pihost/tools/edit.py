"""The ``edit`` tool: exact replacements in a file, all of them or none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import attrs
from msgspec import Meta

from pihost.content import ToolResult
from pihost.context import ToolContext
from pihost.tools._atomic import replace_file
from pihost.tools._edit_types import Edit
from pihost.tools._failure import file_failure
from pihost.tools._threads import run_to_end
from pihost.tools._tool_path import resolve_tool_path
from pihost.tools.definition import ToolAnnotations, ToolDefinition
from pihost.tools.edit_bytes import EditedFile, edit_bytes
from pihost.tools.mutation_queue import file_mutation_queue
from pihost.tools.schema import ArgumentFault, ToolArgumentsError

__all__ = ["EditDetails", "EditParameters", "create_edit_tool"]

_FLAT = ("old_text", "new_text")


@attrs.frozen(kw_only=True)
class EditParameters:
    """Arguments of ``edit``."""

    path: Annotated[str, Meta(description="The file, absolute or relative to the working directory")]
    edits: Annotated[
        list[Edit],
        Meta(
            min_length=1,
            description=(
                "Replacements. Each old_text must occur exactly once in the file as it is now and must not "
                "overlap with another's; keep it short but unique. All are matched against the original."
            ),
        ),
    ]


@attrs.frozen(kw_only=True)
class EditDetails:
    """Besides the text of ``edit``.

    Attributes:
        patch: A unified diff.
        diff: Changed lines and some around them with line numbers, for a person's screen.
        first_changed_line: Number of the first line that differs, from 1.
    """

    patch: str
    diff: str
    first_changed_line: int


def create_edit_tool(cwd: Path, *, lock_dir: Path | None = None) -> ToolDefinition:
    """The tool.

    Args:
        cwd: Where relative paths start.
        lock_dir: As in ``file_mutation_queue``.
    """

    async def execute(_call_id: str, params: EditParameters, _ctx: ToolContext) -> ToolResult:
        path = resolve_tool_path(cwd, params.path, for_read=True)
        try:
            async with file_mutation_queue(path, lock_dir=lock_dir):
                details = await run_to_end(lambda: _edit(path, params))
        except (OSError, ValueError) as fault:
            raise file_failure("edit", params.path, fault) from fault
        count = len(params.edits)
        blocks = "1 block" if count == 1 else f"{count} blocks"
        return ToolResult.from_text(f"Replaced {blocks} in {params.path}.", details=details)

    return ToolDefinition(
        name="edit",
        label="Edit",
        description=(
            "Change a file by replacing exact text. Every old_text must occur exactly once; "
            "put all changes of one file into one call."
        ),
        prompt_snippet="change files by replacing exact text",
        parameters=EditParameters,
        prepare_arguments=_prepare,
        execute=execute,
        annotations=ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=False),
    )


def _edit(path: Path, params: EditParameters) -> EditDetails:
    edited: EditedFile = edit_bytes(path.read_bytes(), params.edits, path=params.path)
    replace_file(path, edited.data)
    return EditDetails(patch=edited.patch, diff=edited.diff, first_changed_line=edited.first_changed_line)


def _prepare(arguments: Any) -> Any:
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
