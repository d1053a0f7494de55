"""The shapes of a new extension, and the words in which its README speaks of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs

__all__ = ["SHAPES", "Shape"]


@attrs.frozen(kw_only=True)
class Shape:
    """What a new extension does until its author changes it.

    Attributes:
        name: Name of the shape, and of the directory of its templates.
        summary: What the extension does, a sentence.
        usage: How it is used, as Markdown.
    """

    name: str
    summary: str
    usage: str


_ALL = (
    Shape(
        name="hook",
        summary="Puts the date where a prompt says @today.",
        usage="Write `@today` in a prompt and the model reads the date.",
    ),
    Shape(
        name="tool",
        summary="Gives the model a tool that counts words.",
        usage="The model may call `word_count`. By hand: `pihost tool word_count text='a few words'`.",
    ),
    Shape(
        name="guard",
        summary="Refuses to let a tool change protected files.",
        usage='In `settings.toml`:\n\n```toml\n[extension.$name]\nprotected = ["*.lock", ".env"]\n```',
    ),
    Shape(
        name="provider",
        summary="Offers a model that repeats what was said.",
        usage="Choose its model with `pihost -m $name/echo`.",
    ),
)

SHAPES: Mapping[str, Shape] = MappingProxyType({shape.name: shape for shape in _ALL})
"""Every shape by name."""
