"""The hook reference as a page of Markdown, made of the hookspecs' docstrings and of nothing else."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from pihost.hooks.reference import HookDocument, hook_documents

__all__ = ["hook_reference"]

_OPENING = """\
# Hooks

Made by `python3 dev.py docs` from the hookspecs; `pihost hooks NAME` shows the same. An extension answers a
hook with a function of its name, marked `@hookimpl`, or with `api.on(name)`; see
[extensions.md](extensions.md). It may take any of the arguments of the spec. Events and results are imported
from `pihost.events`.

| kind | how answers combine |
|---|---|
| notify | everybody is called; answers are ignored |
| chain | each handler sees what those before it made of the value; `None` leaves it |
| gate | the first answer that blocks or cancels ends it, and later handlers do not run |
| first | the first answer wins; `None` passes on |
| collect | all answers are gathered, in order |
"""
_SECTION = re.compile(r"^(Event|Returns|Answers|On error|Since|Example)(:{1,2})(?: (.*))?$")
_FIELD = re.compile(r"^(\w+) \((.*?)\): ")


def hook_reference() -> str:
    """The page: a table of all hooks, then everything about each."""
    documents = hook_documents()
    rows = [
        f"| [`{one.name}`](#{one.name}) | {one.kind} | {_without_marks(one.summary)} |" for one in documents
    ]
    index = "\n".join(["| hook | kind | fires |", "|---|---|---|", *rows])
    return "\n".join([_OPENING, index, "", *(_chapter(one) for one in documents)])


def _chapter(document: HookDocument) -> str:
    heading = f"## {document.name}\n\n`{document.signature}` · {document.kind} · `{document.event}`\n"
    return "\n".join([heading, *_parts(document.doc.splitlines())])


def _parts(lines: Iterable[str]) -> Iterator[str]:
    """The docstring part by part: prose, fields, named sections, the example."""
    title, body, literal = "", list[str](), False
    for line in lines:
        found = _SECTION.match(line)
        if found is None:
            body.append(line)
            continue
        yield _part(title, body, literal=literal)
        title, literal, rest = found[1], found[2] == "::", found[3]
        body = [rest] if rest else []
    yield _part(title, body, literal=literal)


def _part(title: str, body: list[str], *, literal: bool) -> str:
    text = textwrap.dedent("\n".join(body)).strip("\n")
    if literal:
        return f"```python\n{text}\n```\n"
    text = _without_marks(text)
    if title == "Event":
        return "\n".join(["**Fields**", "", *_fields(text), ""])
    return f"**{title}:** {text}\n" if title else f"{text}\n"


def _fields(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = _FIELD.match(line)
        yield f"- `{found[1]}` (`{found[2]}`): {line[found.end() :]}" if found else f"  {line.strip()}"


def _without_marks(text: str) -> str:
    """Literals of reStructuredText as those of Markdown."""
    return text.replace("``", "`")
