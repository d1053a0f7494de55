"""For authors: a host around an extension in a test, with a scripted model and a user who gives set answers.

The fixtures come with the pytest plugin of the same distribution; nothing needs to be imported for them.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.testing.contracts import ProviderContract
    from pihost.testing.distributions import write_distribution
    from pihost.testing.models import ScriptedModel, asks
    from pihost.testing.recorder import HookRecorder
    from pihost.testing.server import Received, Reply, ScriptedServer, server_sent_events
    from pihost.testing.ui import Dialog, FakeUI
    from pihost.testing.workbench import ExtensionFailedError, LoadedExtension, Workbench

__all__ = [
    "Dialog",
    "ExtensionFailedError",
    "FakeUI",
    "HookRecorder",
    "LoadedExtension",
    "ProviderContract",
    "Received",
    "Reply",
    "ScriptedModel",
    "ScriptedServer",
    "Workbench",
    "asks",
    "server_sent_events",
    "write_distribution",
]

__getattr__, __dir__ = lazy_names(
    globals(),
    {
        "Dialog": ".ui",
        "ExtensionFailedError": ".workbench",
        "FakeUI": ".ui",
        "HookRecorder": ".recorder",
        "LoadedExtension": ".workbench",
        "ProviderContract": ".contracts",
        "Received": ".server",
        "Reply": ".server",
        "ScriptedModel": ".models",
        "ScriptedServer": ".server",
        "Workbench": ".workbench",
        "asks": ".models",
        "server_sent_events": ".server",
        "write_distribution": ".distributions",
    },
)
