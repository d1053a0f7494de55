"""What the tools of the house take, as a model is told and as their code gets it."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from pihost._values import Value
from pihost.tools._edit_types import Edit

__all__ = [
    "EditParameters",
    "FindParameters",
    "GrepParameters",
    "LsParameters",
    "ReadParameters",
    "ShellParameters",
    "WriteParameters",
]

_LONGEST_TIMEOUT = 2_147_483
"""Seconds; what a 32-bit count of milliseconds can hold, as some event loops need it."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ReadParameters(Value):
    """Arguments of ``read``."""

    path: Annotated[str, Meta(description="The file, absolute or relative to the working directory")]
    offset: Annotated[int, Meta(ge=1, description="Number of the first line to read, from 1")] | None = None
    limit: Annotated[int, Meta(ge=1, description="How many lines to read at most")] | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class WriteParameters(Value):
    """Arguments of ``write``."""

    path: Annotated[str, Meta(description="The file, absolute or relative to the working directory")]
    content: Annotated[str, Meta(description="The whole new content")]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EditParameters(Value):
    """Arguments of ``edit``."""

    path: Annotated[str, Meta(description="The file, absolute or relative to the working directory")]
    edits: Annotated[
        list[Edit],
        Meta(
            min_length=1,
            description=(
                "Replacements. Each old_text must occur exactly once in the file as it is now and must not "
                "overlap with another's; keep it short but unique. All are matched against the original."
            ),
        ),
    ]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ShellParameters(Value):
    """Arguments of ``bash`` and ``powershell``."""

    command: Annotated[str, Meta(description="The command to run")]
    timeout: (
        Annotated[
            float, Meta(gt=0, le=_LONGEST_TIMEOUT, description="Seconds it may take; no limit by default")
        ]
        | None
    ) = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class GrepParameters(Value):
    """Arguments of ``grep``."""

    pattern: Annotated[str, Meta(description="A regular expression, or text with literal")]
    path: Annotated[
        str, Meta(description="The directory or file to search; the working directory if left out")
    ] = "."
    glob: Annotated[str, Meta(description="Only files that fit, such as *.py or src/**/*.ts")] | None = None
    ignore_case: Annotated[bool, Meta(description="Upper and lower case are the same")] = False
    literal: Annotated[bool, Meta(description="The pattern is text, not a regular expression")] = False
    context: Annotated[int, Meta(ge=0, le=1000, description="Lines to show before and after each match")] = 0
    limit: Annotated[int, Meta(ge=1, description="Most matches to show")] = 100


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FindParameters(Value):
    """Arguments of ``find``."""

    pattern: Annotated[
        str,
        Meta(
            description="A glob such as *.py (any directory), src/**/*.py or **/test_*.py; end it in / for "
            "directories only"
        ),
    ]
    path: Annotated[str, Meta(description="The directory to look in; the working directory if left out")] = (
        "."
    )
    limit: Annotated[int, Meta(ge=1, description="Most paths to show")] = 1000


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LsParameters(Value):
    """Arguments of ``ls``."""

    path: Annotated[str, Meta(description="The directory; the working directory if left out")] = "."
    limit: Annotated[int, Meta(ge=1, description="Most entries to show")] = 500
