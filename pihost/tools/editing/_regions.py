"""Stretches of a text and what takes their place."""

from collections.abc import Sequence

import attrs

__all__ = ["Region", "replace_regions"]


@attrs.frozen
class Region:
    """A stretch of the original text and what takes its place.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character; equal to ``start`` where text is only inserted.
        text: The new text.
    """

    start: int
    end: int
    text: str


def replace_regions(text: str, regions: Sequence[Region]) -> str:
    """The text with every region replaced.

    Args:
        text: The original.
        regions: What changes in it, in order and apart.
    """
    pieces: list[str] = []
    done = 0
    for region in regions:
        pieces += text[done : region.start], region.text
        done = region.end
    pieces.append(text[done:])
    return "".join(pieces)
