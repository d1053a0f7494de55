"""What every method of the API asks first: may it be used here and now?"""

from __future__ import annotations

from pihost.errors import ExtensionNotReadyError
from pihost.extensions._load_rules import LOAD_TIME
from pihost.extensions.actions import NOT_READY
from pihost.extensions.registrations import Registrations
from pihost.extensions.runtime import ExtensionRuntime

__all__ = ["ApiPart"]


class ApiPart:
    """The common part of the families of methods that make up ``ExtensionAPI``.

    Args:
        runtime: What all APIs of a load share.
        record: What this extension has registered.
    """

    def __init__(self, runtime: ExtensionRuntime, record: Registrations) -> None:
        self._runtime = runtime
        self._record = record

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._record.extension!r}>"

    def _use(self, member: str) -> ExtensionRuntime:
        """The runtime, if ``member`` of the API may be used here and now.

        Raises:
            ExtensionNotReadyError: another thread, a failed load, a replaced runtime; or too early.
        """
        record, runtime = self._record, self._runtime
        if record.failure is not None:
            raise ExtensionNotReadyError(member, record.failure, record.extension)
        runtime.check(member, record.extension)
        if LOAD_TIME[member] == "raises" and (record.staged or not runtime.bound):
            raise ExtensionNotReadyError(member, NOT_READY, record.extension)
        return runtime
