"""The lines of a recipe as tool calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from pihost._values import Value
from pihost.jsonlines import decode

__all__ = ["STEPS_HELP", "NotAStepError", "Step", "parse_step", "recipe_lines"]

STEPS_HELP = """\
  read README.md
  grep "def main" src
  find **/*.py
  ls docs
  bash: pytest -q
  write notes.txt: text
  edit a.py: old => new
  tool NAME {json}"""
"""One example of each step."""

_PATH_AND_TEXT = re.compile(r"""("[^"]*"|'[^']*'|[^\s:]+(?::[^\s:]+)*)\s*:(?: |$)(.*)""", re.DOTALL)
_FILES = re.compile(r"^<file\b.*^</file>$", re.DOTALL | re.MULTILINE)
_BASH = re.compile(r"bash\s*:\s*(.*)")


class NotAStepError(ValueError):
    """A line is no step; the text says what is wrong, and is empty where it is like none of them."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Step(Value):
    """A tool call that a line asks for.

    Attributes:
        tool: The tool's name.
        arguments: The call's arguments.
    """

    tool: str
    arguments: Mapping[str, Any]


def recipe_lines(text: str) -> list[str]:
    """The lines of a prompt that are to be steps.

    Attached files are left out from the first one's beginning to the last one's end, whatever is between:
    what a file holds must never run.

    Args:
        text: The prompt.
    """
    lines = (line.strip() for line in _FILES.sub("", text).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def parse_step(line: str) -> Step:
    """The tool call that a line asks for.

    Args:
        line: Without the ``-`` that lets it fail.

    Raises:
        NotAStepError: it is none.
    """
    if bash := _BASH.fullmatch(line):
        return _bash(bash.group(1))
    word, _, rest = line.partition(" ")
    parse = _PARSERS.get(word)
    if parse is None:
        raise NotAStepError
    return parse(rest.strip())


def _bash(command: str) -> Step:
    if not command:
        raise NotAStepError("bash: takes a command")
    return Step(tool="bash", arguments={"command": command})


def _words(rest: str, form: str, least: int, most: int) -> list[str]:
    import shlex

    try:
        words = shlex.split(rest)
    except ValueError as fault:
        raise NotAStepError(f"{form}: {fault}") from fault
    if not least <= len(words) <= most:
        raise NotAStepError(f"the form is `{form}`; what holds spaces is quoted")
    return words


def _read(rest: str) -> Step:
    (path,) = _words(rest, "read PATH", 1, 1)
    return Step(tool="read", arguments={"path": path})


def _search(tool: str) -> Callable[[str], Step]:
    def parse(rest: str) -> Step:
        pattern, *path = _words(rest, f"{tool} PATTERN [PATH]", 1, 2)
        return Step(tool=tool, arguments={"pattern": pattern, **({"path": path[0]} if path else {})})

    return parse


def _ls(rest: str) -> Step:
    path = _words(rest, "ls [PATH]", 0, 1)
    return Step(tool="ls", arguments={"path": path[0]} if path else {})


def _path_and_text(rest: str, form: str) -> tuple[str, str]:
    match = _PATH_AND_TEXT.fullmatch(rest)
    if match is None:
        raise NotAStepError(f"the form is `{form}`")
    path, text = match.groups()
    return path.strip("\"'"), text


def _write(rest: str) -> Step:
    path, text = _path_and_text(rest, "write PATH: TEXT")
    return Step(tool="write", arguments={"path": path, "content": text})


def _edit(rest: str) -> Step:
    form = "edit PATH: OLD => NEW"
    path, text = _path_and_text(rest, form)
    old, arrow, new = text.partition(" => ")
    if not arrow:
        old, arrow, new = text.partition(" =>")
    if not arrow or not old:
        raise NotAStepError(f"the form is `{form}`")
    return Step(tool="edit", arguments={"path": path, "edits": [{"old_text": old, "new_text": new}]})


def _tool(rest: str) -> Step:
    name, _, arguments = rest.partition(" ")
    if not name:
        raise NotAStepError("the form is `tool NAME {json}`")
    try:
        value = decode(arguments) if arguments.strip() else {}
    except ValueError as fault:
        raise NotAStepError(f"tool {name}: the arguments are no JSON: {fault}") from fault
    if not isinstance(value, dict):
        raise NotAStepError(f"tool {name}: the arguments must be a JSON object")
    return Step(tool=name, arguments=value)


_PARSERS: Mapping[str, Callable[[str], Step]] = {
    "read": _read,
    "grep": _search("grep"),
    "find": _search("find"),
    "ls": _ls,
    "write": _write,
    "edit": _edit,
    "tool": _tool,
}
