"""Prompt templates: ``NAME.md`` in a directory of prompts; ``/NAME ARGUMENTS`` says what stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pihost.resources.documents import Document, DocumentError, read_document
from pihost.resources.records import PromptTemplate

__all__ = ["prompt_files", "read_prompt"]

_NAME = re.compile(r"[\w.-]+")
_LONGEST_SUMMARY = 80


def prompt_files(directory: Path) -> Iterator[Path]:
    """The files of the templates in a directory, in name order.

    Raises:
        OSError: the directory cannot be read.
    """
    for entry in sorted(directory.iterdir(), key=lambda path: path.name):
        if entry.suffix == ".md" and not entry.name.startswith((".", "_")):
            yield entry


def read_prompt(path: Path) -> PromptTemplate:
    """The template in a file.

    Raises:
        FileNotFoundError: there is no such file.
        DocumentError: it cannot be read, says nothing, or cannot be called by its name.
    """
    document = read_document(path)
    if not _NAME.fullmatch(path.stem):
        raise DocumentError(path, "its name cannot follow a slash; use letters, digits, hyphens and dots")
    if not document.text:
        raise DocumentError(path, "has no text")
    return PromptTemplate(
        name=path.stem,
        description=_field(path, document, "description") or _summary(document.text),
        argument_hint=_field(path, document, "argument-hint"),
        path=path,
        text=document.text,
    )


def _field(path: Path, document: Document, key: str) -> str:
    value = document.fields.get(key)
    if isinstance(value, list):  # "[file]" without quotes is a list to YAML
        value = " ".join(f"[{one}]" for one in value)
    if value is not None and not isinstance(value, str):
        raise DocumentError(path, f"{key} must be text, not {type(value).__name__}")
    return " ".join((value or "").split())


def _summary(text: str) -> str:
    line = text.partition("\n")[0].strip("# \t")
    return line if len(line) <= _LONGEST_SUMMARY else line[: _LONGEST_SUMMARY - 1] + "…"
