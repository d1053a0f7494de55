"""The composition root: the only place that picks the real parts and puts them together.

Each name is imported from its module when it is first used: what only looks at extensions needs no session.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.host._host import Host
    from pihost.host._providers import survey_models
    from pihost.host._startup import Startup, prepare, survey
    from pihost.host.errors import StartRefusedError
    from pihost.host.listing import HostReport, Row

__all__ = [
    "Host",
    "HostReport",
    "Row",
    "StartRefusedError",
    "Startup",
    "prepare",
    "survey",
    "survey_models",
]

_MODULES = {
    "Host": "._host",
    "HostReport": ".listing",
    "Row": ".listing",
    "StartRefusedError": ".errors",
    "Startup": "._startup",
    "prepare": "._startup",
    "survey": "._startup",
    "survey_models": "._providers",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
