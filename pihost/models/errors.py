"""What can be wrong with a choice of model, with a provider's configuration, and with a route."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.errors import PihostError

__all__ = ["ModelNotFoundError", "ModelRouteError", "ProviderConfigError"]


class ModelNotFoundError(PihostError):
    """No model fits what the user wrote, or more than one does.

    Attributes:
        pattern: What the user wrote.
        fits: The models that all fit it, as ``provider/id``; empty where none does.
        near: The models named most alike, where none fits.
    """

    def __init__(self, pattern: str, fits: Sequence[str] = (), near: Sequence[str] = ()) -> None:
        super().__init__(pattern, fits, near)
        self.pattern = pattern
        self.fits = tuple(fits)
        self.near = tuple(near)

    def __str__(self) -> str:
        if self.fits:
            return f"{self.pattern!r} fits more than one model: {', '.join(self.fits)}"
        if self.near:
            return f"No model fits {self.pattern!r}. Near: {', '.join(self.near)}"
        return f"No model fits {self.pattern!r}, and there is none with a name like it"


class ProviderConfigError(PihostError):
    """A provider cannot be registered or used as it is configured. No key is ever part of the text.

    Attributes:
        provider: The provider's id.
        faults: Every fault, each saying where it is and what would be right.
    """

    def __init__(self, provider: str, faults: Sequence[str]) -> None:
        super().__init__(provider, faults)
        self.provider = provider
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return f"Provider {self.provider!r}: {'; '.join(self.faults)}"


class ModelRouteError(PihostError):
    """A virtual model did not lead to a physical one.

    Attributes:
        model: The virtual model, as ``provider/id``.
        reason: What its route did.
    """

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(model, reason)
        self.model = model
        self.reason = reason

    def __str__(self) -> str:
        return f"Virtual model {self.model}: {self.reason}"
