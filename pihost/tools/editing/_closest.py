"""The place of a text that is most like one that was not found in it."""

import re
from collections import Counter
from collections.abc import Iterator

__all__ = ["closest_place"]

_MOST_CHARACTERS = 4_000_000
"""How much of a text is looked through, so that a miss in a huge file costs a second at most."""

_MOST_CANDIDATES = 20
_MOST_COMPARED = 300
"""Characters of each side that are compared; comparing can take more than the square of it."""

_WORTH_SHOWING = 0.6

_WORD = re.compile(r"\w+")


def closest_place(text: str, wanted: str) -> tuple[int, float] | None:
    """Look for lines that are much like the wanted ones.

    Args:
        text: What was searched; of a very long text only the first part counts.
        wanted: What was not found in it.

    Returns:
        The line number, from 1, where the most similar stretch begins and its similarity from 0 to 1, or
        ``None`` when nothing is similar enough to be worth showing.
    """
    from difflib import SequenceMatcher

    lines = text[:_MOST_CHARACTERS].split("\n")
    wanted_lines = wanted.strip("\n").split("\n")
    target = "\n".join(wanted_lines)[:_MOST_COMPARED]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(target)
    best, best_line = 0.0, 0
    compared: set[str] = set()
    for index in _candidates(lines, wanted_lines):
        place = "\n".join(lines[index : index + len(wanted_lines)])[:_MOST_COMPARED]
        if place in compared:
            continue
        compared.add(place)
        matcher.set_seq1(place)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            best, best_line = max((best, best_line), (matcher.ratio(), index + 1))
    return (best_line, best) if best >= _WORTH_SHOWING else None


def _candidates(lines: list[str], wanted: list[str]) -> Iterator[int]:
    """Line indexes where the wanted lines may begin: where the wordiest of them shares most words."""
    words = [frozenset(_WORD.findall(line)) for line in wanted]
    anchor = max(range(len(words)), key=lambda index: len(words[index]))
    shared: Counter[int] = Counter()
    for index, line in enumerate(lines):
        common = len(words[anchor].intersection(_WORD.findall(line)))
        if common and index >= anchor:
            shared[index - anchor] = common
    for index, _ in shared.most_common(_MOST_CANDIDATES):
        yield index
