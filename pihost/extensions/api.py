"""The API an extension's ``setup`` is handed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pihost.extensions._api_acting import ActingPart
from pihost.extensions._api_own import OwnPart
from pihost.extensions._api_registering import RegisteringPart
from pihost.extensions._load_rules import LOAD_TIME
from pihost.near import near_aside

__all__ = ["ExtensionAPI"]


class ExtensionAPI(RegisteringPart, ActingPart, OwnPart):
    """Everything an extension can do with its host.

    While ``setup`` runs, it may register: tools, commands, flags, handlers, hooks of its own, providers. All
    of that takes effect when ``setup`` has returned, and none of it if ``setup`` fails. Actions on the
    session raise ``ExtensionNotReadyError`` until the extension is bound.

    It belongs to the event loop's thread, ``call_soon`` excepted. It is dead, and says why, after a failed
    load, a reload, and a change of the session.
    """

    if not TYPE_CHECKING:  # a checker would take every misspelt name for one of these

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"ExtensionAPI has no {name!r}{near_aside(name, LOAD_TIME)}", name=name, obj=self
            )
