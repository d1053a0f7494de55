"""What a template or a skill that was called becomes: the text that is said to the model."""

from __future__ import annotations

import re
import shlex

from pihost.events import Skill
from pihost.resources.documents import DocumentError, read_document
from pihost.resources.records import PromptTemplate

__all__ = ["expand_prompt", "expand_skill"]

_PLACE = re.compile(
    r"\$(?:(?P<number>[1-9]\d?)|(?P<all>@|ARGUMENTS\b)|\{@:(?P<from>\d{1,3})(?::(?P<count>\d{1,3}))?\})"
)


def expand_prompt(template: PromptTemplate, arguments: str) -> str:
    """The text of a template with its arguments in place.

    ``$1`` is the first argument, ``$@`` and ``$ARGUMENTS`` all of them as they were typed, ``${@:2}`` those
    from the second on, ``${@:2:3}`` three of them. A missing argument is empty. Arguments are split as a
    shell splits words, and nothing in them is a place for others. Where the text has no place for any, they
    come after it.

    Args:
        template: The template.
        arguments: What followed its name.
    """
    words = _words(arguments)
    if arguments and not _PLACE.search(template.text):
        return f"{template.text}\n\n{arguments}"

    def fill(place: re.Match[str]) -> str:
        if place["number"]:
            index = int(place["number"]) - 1
            return words[index] if index < len(words) else ""
        if place["all"]:
            return arguments
        first = max(int(place["from"]) - 1, 0)
        count = len(words) if place["count"] is None else int(place["count"])
        return " ".join(words[first : first + count])

    return _PLACE.sub(fill, template.text)


def expand_skill(skill: Skill, arguments: str) -> str:
    """The text of a skill, read anew, and what the user said about it.

    Args:
        skill: The skill.
        arguments: What followed its name.

    Raises:
        DocumentError: its file is gone or cannot be read.
    """
    try:
        text = read_document(skill.path).text
    except FileNotFoundError as fault:
        raise DocumentError(skill.path, "is gone since the skill was found") from fault
    where = f"Paths in it are relative to {skill.path.parent}."
    said = f'<skill name="{skill.name}">\n{where}\n\n{text}\n</skill>'
    return f"{said}\n\n{arguments}" if arguments else said


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # a quote that is not closed is an apostrophe
        return arguments.split()
