"""A registration of a provider, as it waits to be carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import attrs

from pihost._values import Value
from pihost.extensions.actions import ProviderActions

__all__ = ["ProviderRegistration", "ProviderStage"]

ProviderStage = Literal["api", "provider", "native", "virtual"]
"""What is registered: a wire API, a provider by its configuration or by its code, a virtual model."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProviderRegistration(Value):
    """One registration, or the end of one.

    Attributes:
        extension: Id of the extension.
        event: What a failure is reported as: ``register_provider`` and the like.
        stage: What is registered.
        key: Its name, or ``provider/id`` of a virtual model.
        act: Carries it out.
        withdraws: It ends a registration of that key instead of making one.
    """

    extension: str
    event: str
    stage: ProviderStage
    key: str
    act: Callable[[ProviderActions], object]
    withdraws: bool = False

    def ends(self, other: ProviderRegistration) -> bool:
        """Whether ``other`` is what this one withdraws."""
        physical = ("provider", "native")
        same_kind = self.stage == other.stage or (self.stage in physical and other.stage in physical)
        return same_kind and self.key == other.key and not other.withdraws
