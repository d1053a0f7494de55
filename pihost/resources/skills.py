"""Skills: ``NAME/SKILL.md`` or ``NAME.md`` in a directory of skills, each with a description in front."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pihost.events import Skill
from pihost.resources.documents import DocumentError, read_document

__all__ = ["SKILL_FILE_NAME", "read_skill", "skill_files"]

SKILL_FILE_NAME = "SKILL.md"

_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024


def skill_files(directory: Path) -> Iterator[Path]:
    """The files of the skills in a directory, in name order, one level deep.

    Raises:
        OSError: the directory cannot be read.
    """
    for entry in sorted(directory.iterdir(), key=lambda path: path.name):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            if (entry / SKILL_FILE_NAME).exists():
                yield entry / SKILL_FILE_NAME
        elif entry.suffix == ".md":
            yield entry


def read_skill(path: Path) -> Skill:
    """The skill in a file.

    Raises:
        FileNotFoundError: there is no such file.
        DocumentError: it cannot be read, or what stands in front of it is not what a skill needs.
    """
    fields = read_document(path).fields
    default = path.parent.name if path.name == SKILL_FILE_NAME else path.stem
    name = _text(path, fields, "name", default)
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        wanted = f"at most {_LONGEST_NAME} lower-case letters, digits and single hyphens"
        raise DocumentError(path, f"its name is {name!r}; a skill's name has {wanted}")
    description = " ".join(_text(path, fields, "description", "").split())
    if not description:
        raise DocumentError(
            path, "needs a description in its front matter, so that a model knows when to read it"
        )
    if len(description) > _LONGEST_DESCRIPTION:
        fault = f"its description has {len(description)} characters; at most {_LONGEST_DESCRIPTION} are shown"
        raise DocumentError(path, fault)
    hidden = fields.get("disable-model-invocation", False)
    if not isinstance(hidden, bool):
        raise DocumentError(path, "disable-model-invocation must be true or false")
    return Skill(name=name, description=description, path=path, for_model=not hidden)


def _text(path: Path, fields: Mapping[str, Any], key: str, default: str) -> str:
    value = fields.get(key, default)
    if not isinstance(value, str):
        raise DocumentError(path, f"{key} must be text, not {type(value).__name__}")
    return value
