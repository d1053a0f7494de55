"""Extensions that guard something: what has the last word on tool calls or on trust is not lost silently."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from pihost.diagnostics import Diagnostic
from pihost.extensions.admission import Dropped
from pihost.extensions.candidate import Candidate
from pihost.extensions.code_paths import code_paths

__all__ = ["GUARDING_HOOKS", "lost_guards", "overridden_guard"]

GUARDING_HOOKS = ("tool_call", "tool_call_final", "project_trust")
"""Hooks whose answers forbid something."""

_WORD = re.compile(rb"\b(?:%s)\b" % "|".join(GUARDING_HOOKS).encode())
_MOST_FILES = 500


def lost_guards(dropped: Iterable[Dropped]) -> Iterator[Diagnostic]:
    """A warning for each extension that is disabled or superseded and seems to guard something.

    Which hooks it answers would show only if it were loaded, so its code is searched for their names: one
    that composes them, or leaves them to a package of another name, is not noticed.

    Args:
        dropped: What was not admitted.
    """
    for one in dropped:
        if one.cause in {"disabled", "superseded"} and (hooks := _named_in_code(one.candidate)):
            message = (
                f"Extension {one.candidate.id!r} ({one.candidate.location}) is {one.reason}; "
                f"its code names {', '.join(hooks)}, so what it guards is not guarded"
            )
            yield Diagnostic(level="warning", message=message, kind="load", source=one.candidate.id)


def overridden_guard(conflict: Diagnostic, hooks: Iterable[str]) -> Diagnostic:
    """``conflict``, which says so where the extension that loses a registration guards something.

    Args:
        conflict: What the extension lost.
        hooks: Names of the hooks it answers.
    """
    guarding = [hook for hook in GUARDING_HOOKS if hook in hooks]
    if not guarding:
        return conflict
    note = f"; {conflict.source!r} answers {', '.join(guarding)}, which it goes on doing"
    return attrs.evolve(conflict, message=conflict.message + note)


def _named_in_code(candidate: Candidate) -> list[str]:
    found: set[bytes] = set()
    for file in itertools.islice(_sources(candidate), _MOST_FILES):
        found.update(_WORD.findall(_text(file)))
    return [hook for hook in GUARDING_HOOKS if hook.encode() in found]


def _sources(candidate: Candidate) -> Iterator[Path]:
    """Its modules, however deep they lie; the first of a package come first."""
    waiting = list(code_paths(candidate))
    for path in waiting:
        if path.is_dir():
            waiting += _below(path)
        else:
            yield path


def _below(directory: Path) -> list[Path]:
    """The modules in a directory and the directories in it, links to some left out."""
    try:
        with os.scandir(directory) as entries:
            return [Path(one.path) for one in entries if _is_to_be_searched(one)]
    except OSError:
        return []  # what cannot be listed holds nothing that could run


def _is_to_be_searched(entry: os.DirEntry[str]) -> bool:
    try:
        is_module = entry.name.endswith(".py") and not entry.is_dir()
        return is_module or entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # a link that leads in a circle; the others in the directory count


def _text(file: Path) -> bytes:
    """All of it; a file that cannot be read holds nothing that could run."""
    try:
        return file.read_bytes() if file.is_file() else b""
    except OSError:
        return b""
