"""Telling options, prompts and attached files apart, before and after the extensions' flags are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from pihost._values import Value
from pihost.errors import PihostError
from pihost.near import near_names

__all__ = ["Arguments", "UsageError", "split"]

_OPTION = re.compile(r"--?[^\s=-][^\s=]*(?:=.*)?", re.DOTALL)
"""A word that is an option: its name has no white space, its value may have any."""


_ID = re.compile(r"(?=.*[0-9])[0-9a-f]{4,8}(-[0-9a-f-]*)?")
"""A session's id or the beginning of one; no prompt looks like that. An id without digits takes a ``=``."""


class UsageError(PihostError):
    """The command line cannot be understood.

    Attributes:
        message: What is wrong with it.
        hint: What would be right, if that can be told.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


_NO_NEAR_OPTION = "See --help for the options there are; a prompt that begins with a dash goes after --."


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Arguments(Value):
    """A command line taken apart.

    Attributes:
        options: Each option as it was written, with its value where it takes one, in order.
        prompts: The words that are prompts.
        files: The paths of the words that began with ``@``.
        unknown: Options that nobody has declared.
    """

    options: tuple[tuple[str, str | None], ...]
    prompts: tuple[str, ...]
    files: tuple[str, ...]
    unknown: tuple[str, ...]

    def values(self, *names: str) -> tuple[str, ...]:
        """The values given to an option, by any of its names, in order."""
        return tuple(value for name, value in self.options if name in names and value is not None)

    def has(self, *names: str) -> bool:
        """Whether an option was given, by any of its names."""
        return any(name in names for name, _value in self.options)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Make sure that every option is known.

        Raises:
            UsageError: one is not; it names the near ones.
        """
        if not self.unknown:
            return
        near = near_names(self.unknown[0], known)
        hint = f"Did you mean {' or '.join(near)}?" if near else _NO_NEAR_OPTION
        raise UsageError(f"there is no option {self.unknown[0]}", hint)


@attrs.define(eq=False, repr=False)
class _Split:
    known: Mapping[str, bool | None]
    options: list[tuple[str, str | None]] = attrs.field(factory=list)
    prompts: list[str] = attrs.field(factory=list)
    files: list[str] = attrs.field(factory=list)
    unknown: list[str] = attrs.field(factory=list)


def split(words: Sequence[str], known: Mapping[str, bool | None]) -> Arguments:
    """Take a command line apart.

    After ``--`` every word is a prompt. A word that begins with ``---`` or with a dash and white space, and a
    lone ``-``, are prompts too; a word that begins with ``@`` names a file. Short options do not take their
    value attached.

    Args:
        words: The command line, without the program's name.
        known: Every option's names, and whether it takes a value; ``None`` where the id of a session may
            follow, or nothing.

    Raises:
        UsageError: an option lacks its value, or has one it does not take.
    """
    parts = _Split(known)
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            parts.prompts.extend(reversed(rest))
            break
        if _OPTION.fullmatch(word):
            _take_option(parts, word, rest)
        elif word.startswith("@") and len(word) > 1:
            parts.files.append(word[1:])
        else:
            parts.prompts.append(word)
    return Arguments(
        options=tuple(parts.options),
        prompts=tuple(parts.prompts),
        files=tuple(parts.files),
        unknown=tuple(parts.unknown),
    )


def _take_option(parts: _Split, word: str, rest: list[str]) -> None:
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if name not in parts.known:
        parts.unknown.append(name)
        parts.options.append((name, value if equals else None))
    elif parts.known[name] is None:
        if not equals:
            value = rest.pop() if rest and _ID.fullmatch(rest[-1]) else ""
        parts.options.append((name, value or None))
    elif not parts.known[name]:
        if equals:
            raise UsageError(f"{name} takes no value", f"Write {name} alone.")
        parts.options.append((name, None))
    elif equals:
        parts.options.append((name, value))
    elif rest:
        parts.options.append((name, rest.pop()))
    else:
        raise UsageError(f"{name} needs a value", f"Write {name} VALUE.")
