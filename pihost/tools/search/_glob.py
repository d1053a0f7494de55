"""Globs over relative paths: ``*``, ``?``, ``[…]``, ``{a,b}`` and ``**``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["Glob"]

_LONGEST = 1000
_MOST_ALTERNATIVES = 256
_ANY_DEPTH = "**"
_UP_TO_LAST_SPECIAL = re.compile(r".*[*?\[\]]", re.DOTALL)


class Glob:
    """A glob, ready to be asked.

    Without a slash it is matched against the last part of a path, with one against the whole; ``**`` stands
    for any number of directories, none included. A slash at the end restricts it to directories, one at the
    start ties it to the root, and ``!`` at the start turns it round. No pattern takes long to be matched.

    Args:
        pattern: The glob.
        anchored: Whether a pattern with a slash in it starts at the root even without one at its start.

    Raises:
        ValueError: it is too long, or its braces stand for too many patterns.
    """

    def __init__(self, pattern: str, *, anchored: bool) -> None:
        if len(pattern) > _LONGEST:
            raise ValueError(f"it has {len(pattern)} characters, and at most {_LONGEST} are taken")
        self._turned = pattern.startswith("!")
        patterns = list(_expanded(pattern.removeprefix("!").removeprefix("./")))
        expressions = [_expression(each, anchored=anchored) for each in patterns]
        self._match = re.compile("|".join(expressions), re.DOTALL).fullmatch
        # What a path must end in to fit is found much faster than whether it does, and often says it all.
        self._ends = ("",) if self._turned else tuple({_literal_end(each) for each in patterns})
        self._ends_decide = not self._turned and all(map(_is_any_name_with_end, patterns))

    def matches(self, path: str) -> bool:
        """Whether ``path``, relative and with ``/`` between its parts, fits; a directory ends in ``/``."""
        return (self._match(path) is None) is self._turned

    def chosen(self, paths: Iterable[str]) -> list[str]:
        """Those of ``paths`` that fit."""
        return [path for path in paths if (self._match(path) is None) is self._turned]

    def files_in(self, listing: str) -> list[str]:
        """Those files that fit of a listing, in which a NUL ends each path."""
        if not self._may_occur(listing, "\0"):
            return []
        if len(self._ends) == 1:
            paths = _ending_in(listing, self._ends[0])
        else:
            paths = [path for path in listing[:-1].split("\0") if path.endswith(self._ends)]
        return paths if self._ends_decide else self.chosen(paths)

    def may_fit_directory(self, listing: str) -> bool:
        """Whether a directory above a file of such a listing can fit; quick, and rather yes than no."""
        return self._may_occur(listing, "/")

    def _may_occur(self, listing: str, after: str) -> bool:
        return any(end + after in listing for end in self._ends)


def _ending_in(listing: str, end: str) -> list[str]:
    """The paths of a listing with that end; asking every single path takes many times as long."""
    ending = f"{end}\0"
    if listing.count(ending) == listing.count("\0"):
        return listing[:-1].split("\0")
    *before, _ = listing.split(ending)
    return [others.rpartition("\0")[2] + end for others in before]


def _literal_end(pattern: str) -> str:
    """What every path that fits a glob without braces ends in, but for a slash."""
    return _UP_TO_LAST_SPECIAL.sub("", pattern.rstrip("/").rpartition("/")[2])


def _is_any_name_with_end(pattern: str) -> bool:
    """Whether a path fits a glob without braces if it ends as it must: ``*.py``, ``**/*.py``."""
    name = pattern.removeprefix("**/")
    return "/" not in name and name == f"*{_literal_end(name)}"


def _expression(pattern: str, *, anchored: bool) -> str:
    """A glob without braces as a regular expression."""
    end = "/" if pattern.endswith("/") else "/?"
    rooted = pattern.startswith("/")
    parts = [part for part in pattern.split("/") if part]
    if len(parts) == 1 and not rooted and parts[0] != _ANY_DEPTH:
        # Whatever precedes the last part is skipped in one go.
        return f"(?>(?:.*/(?=.))?){_part(parts[0])}{end}"
    if not rooted and not anchored:
        parts.insert(0, _ANY_DEPTH)
    return "".join(_runs(parts)) + end


def _runs(parts: list[str]) -> Iterator[str]:
    """The stretches between one ``**`` and the next.

    The earliest place where a stretch fits is as good as any later one, since the next ``**`` takes up the
    slack; so each is decided for good, and the time stays linear in the number of stretches.
    """
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == _ANY_DEPTH:
            runs.append([])
        else:
            runs[-1].append(_part(part))
    *inner, last = ["/".join(run) for run in runs]
    for number, run in enumerate(inner):
        if run:
            yield f"(?>(?:[^/]+/)*?{run}/)" if number else f"{run}/"
    if not last:
        yield ".*[^/]" if inner else ""
    else:
        yield f"(?:[^/]+/)*{last}" if inner else last


def _part(pattern: str) -> str:
    """One part of a path: between two stars, too, the earliest fit is as good as any."""
    first, *others = _pieces(pattern)
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>[^/]*?{piece})" for piece in inner) + f"[^/]*{last}"


def _pieces(pattern: str) -> list[str]:
    """What is between the stars, as regular expressions."""
    pieces, place = [""], 0
    while place < len(pattern):
        char = pattern[place]
        end = pattern.find("]", place + 2 + pattern.startswith(("[!", "[^"), place)) if char == "[" else -1
        if char == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
        elif char == "?":
            pieces[-1] += "[^/]"
        elif end >= 0:
            pieces[-1] += _class(pattern[place + 1 : end])
            place = end
        else:
            pieces[-1] += re.escape(char)
        place += 1
    return pieces


def _class(body: str) -> str:
    """One character out of some, or out of all others; never a slash."""
    negated = body.startswith(("!", "^"))
    body, members, place = body[negated:], "", 0
    while place < len(body):
        first, last = body[place], body[place]
        if body[place + 1 : place + 2] == "-" and place + 2 < len(body):
            last = body[place + 2]
            place += 2
        if first <= last:
            members += f"{re.escape(first)}-{re.escape(last)}"
        place += 1
    if not members:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{members}]"


def _expanded(pattern: str) -> Iterator[str]:
    """The patterns that braces stand for; braces without a comma or an end are text."""
    waiting, count = [pattern], 0
    while waiting:
        each = waiting.pop()
        group = _innermost_group(each)
        if group is None:
            count += 1
            yield each.replace("\0", "{").replace("\1", "}")
        else:
            start, end = group
            choices = each[start + 1 : end].split(",")
            if len(choices) == 1:
                waiting.append(f"{each[:start]}\0{choices[0]}\1{each[end + 1 :]}")
            else:
                waiting += [each[:start] + choice + each[end + 1 :] for choice in reversed(choices)]
        if count + len(waiting) > _MOST_ALTERNATIVES:
            raise ValueError(f"its braces stand for more than {_MOST_ALTERNATIVES} patterns")


def _innermost_group(pattern: str) -> tuple[int, int] | None:
    """The first pair of braces without another inside."""
    end = pattern.find("}")
    while end >= 0:
        start = pattern.rfind("{", 0, end)
        if start >= 0:
            return start, end
        end = pattern.find("}", end + 1)
    return None
