"""The composition root: the only place that picks the real parts and puts them together."""

from __future__ import annotations

from pihost.host._host import Host, StartRefusedError
from pihost.host._startup import Startup, prepare, survey

__all__ = ["Host", "StartRefusedError", "Startup", "prepare", "survey"]
