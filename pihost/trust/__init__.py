"""Project trust: whether a project's own resources may take part, asked step by step.

It is neither an approval of a tool call nor a sandbox. Each name is imported from its module when it is first
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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
    "ProjectTrustStore": "pihost.trust.store",
    "TrustContext": "pihost.context",
    "TrustDecision": "pihost.trust.chain",
    "TrustEntry": "pihost.trust.store",
    "TrustOption": "pihost.trust.options",
    "TrustStoreError": "pihost.trust.store",
    "has_trust_requiring_resources": "pihost.trust.resources",
    "project_trust_options": "pihost.trust.options",
    "resolve_project_trusted": "pihost.trust.chain",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
