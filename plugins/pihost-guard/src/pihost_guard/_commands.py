"""Which shell commands look destructive."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["DESTRUCTIVE", "compile_patterns", "find_destructive"]

DESTRUCTIVE: tuple[str, ...] = (
    r"\brm\b.*\s(-\w*[rRf]|--recursive|--force)",
    r"\brmdir\b.*\s(--parents|-p)\b",
    r"\bfind\b.*\s(-delete|-exec(dir)?\s+\S*rm)\b",
    r"\bgit\b.*\breset\b.*\s--hard\b",
    r"\bgit\b.*\bclean\b.*\s(-\w*[fdx]|--force)",
    r"\bgit\b.*\bpush\b.*\s(--force\S*|-\w*f\w*|--delete|--mirror|\+\S+)",
    r"\bgit\b.*\b(checkout|restore)\b.*\s(--\s|\.(\s|$)|--force|-f\b)",
    r"\bgit\b.*\bbranch\b.*\s-\w*D",
    r"\bgit\b.*\bstash\b\s+(drop|clear)\b",
    r"\bdd\b.*\bof=",
    r"\bmkfs(\.\w+)?\b",
    r"\b(shred|wipefs|truncate)\b",
    r"\b(chmod|chown|chgrp)\b.*\s(-\w*R|--recursive)",
    r">\s*/dev/(sd|nvme|hd|disk)\w*",
    r"\b(shutdown|reboot|halt|poweroff)\b",
    r"\b(drop|truncate)\s+(table|database|schema)\b",
    r"\bRemove-Item\b.*\s-(Recurse|Force)\b",
    r":\(\)\s*\{.*\};\s*:",
)
"""Regular expressions, case ignored, against a command whose quotes and backslashes are taken out."""

_QUOTING = str.maketrans("", "", "'\"\\`")


def compile_patterns(more: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """The built-in patterns and ``more``.

    Raises:
        re.error: one of ``more`` is no regular expression.
    """
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in (*DESTRUCTIVE, *more))


def find_destructive(command: str, patterns: Iterable[re.Pattern[str]]) -> str | None:
    """The part of ``command`` that looks destructive, or ``None``.

    Each line and each command of a list is looked at by itself. Quotes and backslashes are taken out first,
    so that ``sh -c "rm -rf x"`` reads like what it runs.
    """
    joined = command.replace("\\\n", " ").translate(_QUOTING)
    for part in re.split(r"\n|;|&&|\|\|", joined):
        if any(pattern.search(part) for pattern in patterns):
            return part.strip()
    return joined.strip() if any(pattern.search(joined) for pattern in patterns) else None
