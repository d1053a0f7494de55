"""Reading one Markdown file: its text, and the YAML front matter before it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from pihost._values import Value
from pihost.display import escaped
from pihost.errors import PihostError

__all__ = ["MOST_BYTES", "Document", "DocumentError", "read_document", "read_text"]

MOST_BYTES = 1 << 20
"""Bytes that a file may have."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class DocumentError(PihostError):
    """A file that cannot be used.

    Attributes:
        path: The file.
        fault: What is wrong with it.
    """

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(path, fault)
        self.path = path
        self.fault = fault

    def __str__(self) -> str:
        return f"{escaped(str(self.path))}: {self.fault}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Document(Value):
    """A Markdown file.

    Attributes:
        fields: Its front matter; empty where it has none.
        text: What follows.
    """

    fields: Mapping[str, Any]
    text: str


def read_text(path: Path) -> str:
    """The text of a file, with line feeds at line ends; bytes that are no UTF-8 come out as U+FFFD.

    Raises:
        FileNotFoundError: there is no such file.
        DocumentError: it is no regular file, cannot be read, or is larger than ``MOST_BYTES``.
    """
    try:
        # Without the flag, opening a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(descriptor, "rb") as file:  # noqa: PTH123 -- a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise DocumentError(path, "is not a regular file")
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise FileNotFoundError(path) from fault
    except OSError as fault:
        raise DocumentError(path, f"cannot be read ({fault.strerror or fault})") from fault
    if len(data) > MOST_BYTES:
        raise DocumentError(
            path, f"is larger than {MOST_BYTES >> 20} MiB, which is no text to give to a model"
        )
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def read_document(path: Path) -> Document:
    """A file with its front matter taken apart.

    Raises:
        FileNotFoundError: there is no such file.
        DocumentError: it cannot be read, or its front matter is no YAML mapping.
    """
    text = read_text(path)
    found = _FRONT_MATTER.match(text)
    if found is None:
        return Document(fields={}, text=text.strip())
    return Document(fields=_fields(path, found[1]), text=text[found.end() :].strip())


def _fields(path: Path, source: str) -> Mapping[str, Any]:
    import yaml  # only a file with front matter needs it

    try:
        fields = yaml.safe_load(source)
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        raise DocumentError(path, f"its front matter is no YAML: {_in_a_line(fault)}") from fault
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise DocumentError(path, "its front matter must be a mapping, such as description: what it is for")
    return fields


def _in_a_line(fault: Exception) -> str:
    problem, mark = getattr(fault, "problem", None), getattr(fault, "problem_mark", None)
    if problem is None or mark is None:
        return " ".join(str(fault).split()) or type(fault).__name__
    return f"{problem} in line {mark.line + 2}"  # its own first line is the file's second
