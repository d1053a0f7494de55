"""The doctor: looks at everything a start depends on, and says what to do about what is wrong."""

from pihost.host.doctor.checks import diagnose
from pihost.host.doctor.finding import Finding, FindingLevel

__all__ = ["Finding", "FindingLevel", "diagnose"]
