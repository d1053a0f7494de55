"""The instructions a model gets before the conversation: who it is, its tools, where and when it works."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from pihost.events import SystemPromptOptions
from pihost.tools.definition import ToolDefinition

__all__ = ["prompt_options", "render_system_prompt"]

_OPENING = (
    "You are a coding agent. You work in the user's project with the tools below: look before you change "
    "anything, change no more than the task needs, and check what you did."
)


def prompt_options(
    tools: Iterable[ToolDefinition], *, custom_prompt: str | None = None, append: Sequence[str] = ()
) -> SystemPromptOptions:
    """What a system prompt is made of.

    Args:
        tools: The active tools.
        custom_prompt: Stands in place of the built-in prompt.
        append: Paragraphs after it.
    """
    tools = list(tools)
    guidelines = dict.fromkeys(line for tool in tools for line in tool.prompt_guidelines)
    return SystemPromptOptions(
        custom_prompt=custom_prompt,
        append=list(append),
        tool_snippets={tool.name: tool.prompt_snippet or _first_line(tool.description) for tool in tools},
        guidelines=list(guidelines),
    )


def render_system_prompt(options: SystemPromptOptions, *, cwd: Path, today: date) -> str:
    """The system prompt.

    Args:
        options: What it is made of.
        cwd: The directory the session works in.
        today: The date.
    """
    if options.custom_prompt is not None:
        parts = [options.custom_prompt]
    else:
        parts = [
            _OPENING,
            _list("Tools:", [f"{name}: {text}" for name, text in options.tool_snippets.items()]),
        ]
        parts.append(_list("Guidelines:", options.guidelines))
    parts += [*options.append, f"Date: {today.isoformat()}\nWorking directory: {cwd}"]
    return "\n\n".join(part for part in parts if part)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _list(title: str, items: Sequence[str]) -> str:
    return "\n".join([title, *(f"- {item}" for item in items)]) if items else ""
