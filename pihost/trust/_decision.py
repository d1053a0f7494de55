"""The answer to whether a project is trusted."""

from __future__ import annotations

from pathlib import Path

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic

__all__ = ["TrustDecision"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustDecision(Value):
    """The answer of the chain.

    Attributes:
        trusted: Whether the project's own resources take part.
        step: The step that decided, 1 to 7.
        reason: Why, as half a sentence.
        warnings: What else the user should know, such as a decision that could not be stored.
        session_only: Whether a person answered for this session only, or the answer could not be stored. It
            holds for this directory until the session ends; every other decision is made anew on a reload,
            one that is bound to files always.
        guarded: The resources that need trust here, whichever step decided.
    """

    trusted: bool
    step: int
    reason: str
    warnings: tuple[Diagnostic, ...] = ()
    session_only: bool = False
    guarded: tuple[Path, ...] = ()
