"""Lists as results: one entry on a line, cut at the limit of bytes, safe to show."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.tools.outputs.truncate import TruncationResult, format_size, truncate_head

__all__ = ["ListingDetails", "list_result", "printable"]

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_EVERY_LINE = 1 << 62


def printable(name: str) -> str:
    """A file's name as text: no lone surrogates, control characters as escapes."""
    if name.isascii() and name.isprintable():
        return name
    text = os.fsencode(name).decode("utf-8", "replace")
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ListingDetails(Value):
    """Besides the text of a list that was cut.

    Attributes:
        limit_reached: The limit of entries that cut it.
        truncation: How what is shown relates to the whole, where the limit of bytes cut it.
        lines_cut: Whether long lines were cut.
    """

    limit_reached: int | None = None
    truncation: TruncationResult | None = None
    lines_cut: bool = False


def list_result(
    lines: Sequence[str],
    *,
    limit_reached: int | None = None,
    what: str = "entries",
    lines_cut: bool = False,
    notices: Sequence[str] = (),
) -> ToolResult:
    """The lines within the limit of bytes, and a notice that says what is missing and how to see it.

    Args:
        lines: What there is; at least one.
        limit_reached: The limit of entries that already cut it.
        what: What the entries are, in the plural.
        lines_cut: Whether long lines were cut.
        notices: Further remarks.
    """
    remarks: list[str] = []
    if limit_reached is not None:
        more = f"Use limit={limit_reached * 2} for more, or narrow it down"
        remarks.append(f"{limit_reached} {what} limit reached. {more}")
    cut = truncate_head("\n".join(lines), max_lines=_EVERY_LINE)
    if cut.truncated:
        remarks.append(f"{format_size(cut.max_bytes)} limit reached")
    remarks += notices
    truncation = cut if cut.truncated else None
    details = ListingDetails(limit_reached=limit_reached, truncation=truncation, lines_cut=lines_cut)
    text = cut.content + (f"\n\n[{'. '.join(remarks)}]" if remarks else "")
    return ToolResult.from_text(text, details=None if details == ListingDetails() else details)
