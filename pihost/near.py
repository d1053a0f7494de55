"""What somebody who mistyped a name may have meant."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["near_aside", "near_hint", "near_names"]


def near_names(name: str, known: Iterable[str], *, most: int = 2) -> list[str]:
    """The names of ``known`` that resemble ``name``, best first.

    Args:
        name: The name that nothing has.
        known: The names there are.
        most: How many to give.
    """
    import difflib  # only a mistake needs it

    return difflib.get_close_matches(name, list(known), n=most)


def near_hint(name: str, known: Iterable[str], *, most: int = 2) -> str | None:
    """A question of its own, ``Did you mean 'a' or 'b'?``; None where nothing is near."""
    near = near_names(name, known, most=most)
    return f"Did you mean {_either(near)}?" if near else None


def near_aside(name: str, known: Iterable[str], *, most: int = 1) -> str:
    """The same question to put behind a sentence, `` (did you mean 'a'?)``; empty where nothing is near."""
    near = near_names(name, known, most=most)
    return f" (did you mean {_either(near)}?)" if near else ""


def _either(names: Iterable[str]) -> str:
    return " or ".join(map(repr, names))
