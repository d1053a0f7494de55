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
    from pihost.testing.ui import Dialog, FakeUI
    from pihost.testing.workbench import ExtensionFailedError, LoadedExtension, Workbench

__all__ = [
    "Dialog",
    "ExtensionFailedError",
    "FakeUI",
    "HookRecorder",
    "LoadedExtension",
    "ProviderContract",
    "ScriptedModel",
    "Workbench",
    "asks",
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
        "ScriptedModel": ".models",
        "Workbench": ".workbench",
        "asks": ".models",
        "write_distribution": ".distributions",
    },
)
