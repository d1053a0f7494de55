"""The path that a model means: a file's literal name, else what it stands for, else how macOS spells it."""

import itertools
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

__all__ = ["resolve_tool_path"]

_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_BEFORE_NOON_MARK = re.compile(r" (?=[AP]M\b)", re.IGNORECASE)


def resolve_tool_path(cwd: str | os.PathLike[str], text: str, *, for_read: bool) -> Path:
    """Find the file that a tool's ``path`` argument names.

    A file that has literally the given name wins over any reading of it. Otherwise one leading ``@`` is
    dropped, Unicode spaces count as spaces, and ``~`` is the home directory, each again only as far as no
    file has the literal name. To read, each part that does not exist is then looked for as macOS spells it:
    decomposed letters, a narrow no-break space before AM and PM, a curly apostrophe. To write, no name is
    corrected.

    Args:
        cwd: Directory that a relative path starts from.
        text: The path as the model wrote it.
        for_read: Whether the file has to exist.

    Returns:
        The path, absolute when ``cwd`` is. Whether anything is there is for the caller to see.
    """
    readings = list(_readings(text))
    for reading in readings:
        path = os.path.join(cwd, reading)  # noqa: PTH118  (`Path` would fold "." and lose a trailing slash)
        if os.path.lexists(path):
            return Path(path)
    expanded = Path(cwd, readings[-1])
    return _as_spelled(expanded) if for_read else expanded


def _readings(text: str) -> Iterator[str]:
    """From the literal name to the fully expanded one."""
    bare = text.removeprefix("@")
    for name in (text, bare):
        yield name
        yield _SPACES.sub(" ", name)
    spaced = _SPACES.sub(" ", bare)
    yield os.path.expanduser(spaced) if spaced == "~" or spaced.startswith("~/") else spaced  # noqa: PTH111  (as above)


def _as_spelled(path: Path) -> Path:
    """The path with each missing part in the first spelling that exists; as it is when one has none."""
    found = Path(path.anchor)
    for part in path.parts[len(found.parts) :]:
        spelling = next((name for name in _spellings(part) if os.path.lexists(found / name)), None)
        if spelling is None:
            return path
        found /= spelling
    return found


def _spellings(name: str) -> Iterator[str]:
    """The name itself, then with ever more of what macOS changes."""
    for count in range(len(_CHANGES) + 1):
        for chosen in itertools.combinations(_CHANGES, count):
            spelled = name
            for change in chosen:
                spelled = change(spelled)
            yield spelled


def _narrow_space(name: str) -> str:
    return _BEFORE_NOON_MARK.sub("\u202f", name)


def _curly_apostrophe(name: str) -> str:
    return name.replace("'", "\u2019")


def _decomposed(name: str) -> str:
    return unicodedata.normalize("NFD", name)


_CHANGES = (_narrow_space, _curly_apostrophe, _decomposed)
