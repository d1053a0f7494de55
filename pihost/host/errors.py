"""What keeps a host from starting."""

from __future__ import annotations

from pihost.diagnostics import Diagnostic
from pihost.errors import PihostError

__all__ = ["StartRefusedError"]


class StartRefusedError(PihostError):
    """Diagnostics of level error stopped the start.

    Attributes:
        diagnostics: Everything that was found, errors and warnings.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "; ".join(one.message for one in self.diagnostics if one.level == "error")
