"""What can be wrong with the trust store."""

from __future__ import annotations

from pathlib import Path

from pihost.errors import PihostError
from pihost.trust._display import shown

__all__ = ["TrustStoreError"]


class TrustStoreError(PihostError):
    """The trust store is not what it should be, cannot be read, or cannot be written.

    Attributes:
        file: The file concerned.
        fault: What is wrong with it.
    """

    def __init__(self, file: Path, fault: str) -> None:
        super().__init__(file, fault)
        self.file = file
        self.fault = fault

    def __str__(self) -> str:
        return f"{shown(self.file)}: {self.fault}"
