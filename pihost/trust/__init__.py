"""Project trust: whether a project's own resources may take part, asked step by step.

It is neither an approval of a tool call nor a sandbox. Each name is imported from its module when it is first
used.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.context import TrustContext
    from pihost.trust.chain import TrustDecision, resolve_project_trusted
    from pihost.trust.options import TrustOption, project_trust_options
    from pihost.trust.resources import has_trust_requiring_resources
    from pihost.trust.store import ProjectTrustStore, TrustEntry, TrustStoreError

__all__ = [
    "ProjectTrustStore",
    "TrustContext",
    "TrustDecision",
    "TrustEntry",
    "TrustOption",
    "TrustStoreError",
    "has_trust_requiring_resources",
    "project_trust_options",
    "resolve_project_trusted",
]

_MODULES = {
    "ProjectTrustStore": ".store",
    "TrustContext": "pihost.context",
    "TrustDecision": ".chain",
    "TrustEntry": ".store",
    "TrustOption": ".options",
    "TrustStoreError": ".store",
    "has_trust_requiring_resources": ".resources",
    "project_trust_options": ".options",
    "resolve_project_trusted": ".chain",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
