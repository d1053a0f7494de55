"""Registrations of providers: they wait until there is a registry of models, then act at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pihost.diagnostics import ExtensionError
from pihost.extensions.actions import ProviderActions
from pihost.extensions.errors import not_registered
from pihost.extensions.faults import error_of, passes_through

if TYPE_CHECKING:
    from pihost.extensions.provider_registration import ProviderRegistration, ProviderStage, TakeBack

__all__ = ["ProviderQueue"]

_STAGES: Final[tuple[ProviderStage, ...]] = ("api", "provider", "native", "virtual")
"""The order in which binding flushes them: what comes later may refer to what comes before."""


class ProviderQueue:
    """The registrations of a runtime, or those that one extension has staged."""

    def __init__(self) -> None:
        self._waiting: list[ProviderRegistration] = []
        self._actions: ProviderActions | None = None
        self._done: list[tuple[ProviderRegistration, TakeBack]] = []

    def submit(self, registration: ProviderRegistration) -> None:
        """Carry a registration out, or let it wait for ``flush``.

        Whatever the registry raises goes to the caller.

        Raises:
            RegistrationError: it takes back what the extension has not registered.
        """
        if self._actions is not None:
            self._carry_out(registration, self._actions)
            return
        ended = [other for other in self._waiting if registration.ends(other)]
        if ended:
            self._waiting.remove(ended[-1])
        else:
            self._waiting.append(registration)

    def take_over(self, staged: ProviderQueue) -> tuple[ExtensionError, ...]:
        """Submit what an extension has staged; one that fails keeps nobody back."""
        waiting, staged._waiting = staged._waiting, []
        return self._each(waiting, self.submit)

    def flush(self, actions: ProviderActions) -> tuple[ExtensionError, ...]:
        """Carry out what waits, stage by stage, each in order of registration, and wait no more.

        Returns:
            One error for each that failed; the rest is carried out all the same.
        """
        waiting, self._waiting = self._waiting, []
        self._actions = actions
        in_order = sorted(waiting, key=lambda registration: _STAGES.index(registration.stage))
        return self._each(in_order, lambda registration: self._carry_out(registration, actions))

    def drop(self, extension: str) -> None:
        """Forget what an extension has waiting, and take back what it has registered."""
        self._waiting = [other for other in self._waiting if other.extension != extension]
        for registration, take_back in tuple(self._done):
            if registration.extension == extension:
                self._done.remove((registration, take_back))
                take_back()

    def _carry_out(self, registration: ProviderRegistration, actions: ProviderActions) -> None:
        if registration.act is not None:
            self._done.append((registration, registration.act(actions)))
            return
        ended = [done for done in self._done if registration.ends(done[0])]
        if not ended:
            raise not_registered(registration.extension, registration.subject)
        self._done.remove(ended[-1])
        ended[-1][1]()

    def _each(
        self, registrations: list[ProviderRegistration], act: Callable[[ProviderRegistration], object]
    ) -> tuple[ExtensionError, ...]:
        errors: list[ExtensionError] = []
        for registration in registrations:
            try:
                act(registration)
            except BaseException as fault:
                if passes_through(fault):
                    raise
                errors.append(error_of(registration.extension, registration.event, fault))
        return tuple(errors)
