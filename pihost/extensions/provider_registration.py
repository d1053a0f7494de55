"""A registration of a provider, as it waits to be carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import attrs

from pihost._values import Value
from pihost.extensions.actions import ProviderActions

__all__ = ["ProviderRegistration", "ProviderStage", "TakeBack"]

ProviderStage = Literal["api", "provider", "native", "virtual"]
"""What is registered: a wire API, a provider by its configuration or by its code, a virtual model."""

TakeBack = Callable[[], object]
"""Ends what was registered."""

_KINDS: Final[dict[ProviderStage, str]] = {
    "api": "wire API",
    "provider": "provider",
    "native": "provider",
    "virtual": "virtual model",
}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProviderRegistration(Value):
    """One registration, or the end of one.

    Attributes:
        extension: Id of the extension.
        event: What a failure is reported as: ``register_provider`` and the like.
        stage: What is registered.
        key: Its name, or ``provider/id`` of a virtual model.
        act: Carries it out; ``None`` where it ends the latest of that key instead.
    """

    extension: str
    event: str
    stage: ProviderStage
    key: str
    act: Callable[[ProviderActions], TakeBack] | None = None

    @property
    def subject(self) -> str:
        """What it is about, as messages say it."""
        return f"{_KINDS[self.stage]} {self.key!r}"

    def ends(self, other: ProviderRegistration) -> bool:
        """Whether ``other`` is what this one takes back: of the same extension, kind and key."""
        same = (self.extension, self.subject) == (other.extension, other.subject)
        return same and self.act is None and other.act is not None
