"""What a system prompt is made of."""

from __future__ import annotations

import attrs

__all__ = [
    "SystemPromptOptions",
]


@attrs.define(kw_only=True)
class SystemPromptOptions:
    """What the system prompt is made of. Mutable: what a handler changes counts for this run.

    Attributes:
        custom_prompt: Stands in place of the whole built-in prompt.
        append: Paragraphs after it.
        tool_snippets: One line for each active tool, by tool name.
        guidelines: Sentences on how to work, from the active tools.
    """

    custom_prompt: str | None = None
    append: list[str] = attrs.field(factory=list)
    tool_snippets: dict[str, str] = attrs.field(factory=dict)
    guidelines: list[str] = attrs.field(factory=list)
