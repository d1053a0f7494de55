"""What a system prompt is made of."""

from __future__ import annotations

from pathlib import Path

import attrs

from pihost._values import Value

__all__ = [
    "ContextFile",
    "Skill",
    "SystemPromptOptions",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextFile(Value):
    """A file of standing instructions, such as ``AGENTS.md``: text of whoever wrote it, not of the user.

    Attributes:
        path: The file.
        text: What it says.
    """

    path: Path
    text: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Skill(Value):
    """How to do one kind of task, in a file that is read when the task comes up.

    Attributes:
        name: What ``/skill:NAME`` calls it by.
        description: What it is for, in a sentence: by it the model knows when to read the file.
        path: The file.
        for_model: Whether the model is told of it; the user may call it in any case.
    """

    name: str
    description: str
    path: Path
    for_model: bool = True


@attrs.define(kw_only=True)
class SystemPromptOptions:
    """What the system prompt is made of. Mutable: what a handler changes counts for this run.

    Attributes:
        custom_prompt: Stands in place of the whole built-in prompt.
        append: Paragraphs after it.
        tool_snippets: One line for each active tool, by tool name.
        guidelines: Sentences on how to work, from the active tools.
        context_files: Standing instructions, the user's own first, then from the outermost directory inwards.
        skills: The skills the model is told of.
    """

    custom_prompt: str | None = None
    append: list[str] = attrs.field(factory=list)
    tool_snippets: dict[str, str] = attrs.field(factory=dict)
    guidelines: list[str] = attrs.field(factory=list)
    context_files: list[ContextFile] = attrs.field(factory=list)
    skills: list[Skill] = attrs.field(factory=list)
