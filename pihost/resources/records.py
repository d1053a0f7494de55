"""What was read, as values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic
from pihost.events import ContextFile, Skill

__all__ = ["PromptTemplate", "Resources"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class PromptTemplate(Value):
    """A text that ``/NAME ARGUMENTS`` stands for.

    Attributes:
        name: What follows the slash.
        description: What it is for.
        argument_hint: What is to be given, such as ``<file>``; empty where nothing is said.
        path: The file.
        text: The text, with places for arguments.
    """

    name: str
    description: str
    argument_hint: str
    path: Path
    text: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Resources(Value):
    """Everything that was read.

    Attributes:
        context_files: Standing instructions, the user's own first, then from the outermost directory inwards.
        skills: By name.
        prompts: By name.
        system_prompt: Stands in place of the built-in system prompt; ``None`` where no file says one.
        append_system_prompt: Paragraphs after it, the user's own first.
        diagnostics: What could not be read or made no sense; each names its file.
    """

    context_files: tuple[ContextFile, ...] = ()
    skills: Mapping[str, Skill] = attrs.field(factory=dict)
    prompts: Mapping[str, PromptTemplate] = attrs.field(factory=dict)
    system_prompt: str | None = None
    append_system_prompt: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
